#!/usr/bin/env python3
"""Compares Lastro's tokenizer with Hugging Face `tokenizers` and `tiktoken` on fuzzed strings.

usage: compare_with_libraries.py BENCH_TOKENIZER [STRINGS] [SEED]

Trains a tokenizer on text that it makes, lets `tokenizers` train on the same text (the merges must be equal), loads the exported tokenizer.json and
.tiktoken into the real libraries, and encodes STRINGS fuzzed strings with all three. Exits 77, which CTest calls skipped, where neither
library can be imported.
"""
import json
import os
import random
import struct
import subprocess
import sys
import tempfile

try:
    import tokenizers
except ImportError:
    tokenizers = None
try:
    import tiktoken
    import tiktoken.load
except ImportError:
    tiktoken = None

SPACES = "\t\n\v\f\r \x85\xa0\u1680\u2000\u2003\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
TRICKY = [" ", "  ", "\n", "\r\n", " \n ", "'s", "'S", "'ll", "'Re", "'\u017f", "\u017f", "K", "'", "don't", "123456", "\u0663\u0664", "\xbd", "\u2167",
          "<|endoftext|>", "<|eot|>", "\u200b", "\ufeff", "\u200d", "e\u0301", "\x00", "\x1c", "\x1f", "\ufffd", "\ufffe", "_", "!!\n\n", " ...", "\u4e2d\u6587",
          "\U0001f600", "\U0001f468\u200d\U0001f469", "\U000e0041", "\U0010ffff", "a" * 70, " " * 40, "ab" * 50]


def random_point(dice):
    while True:
        kind = dice.random()
        point = dice.randrange(0x80) if kind < 0.4 else dice.randrange(0x800) if kind < 0.6 else dice.randrange(0x10000) if kind < 0.85 else dice.randrange(0x110000)
        if not 0xD800 <= point < 0xE000:
            return chr(point)


def fuzzed(dice, words):
    parts = []
    for _ in range(dice.randrange(1, 12)):
        kind = dice.random()
        if kind < 0.35:
            parts.append(dice.choice(words))
        elif kind < 0.6:
            parts.append(dice.choice(TRICKY))
        elif kind < 0.7:
            parts.append(dice.choice(SPACES) * dice.randrange(1, 4))
        else:
            parts.append("".join(random_point(dice) for _ in range(dice.randrange(1, 6))))
    return "".join(parts)


def training_text(dice):
    syllables = ["ba", "lo", "ter", "ing", "the", "an", "str", "qu", "e", "ion", "\u00e9t", "\u0434\u0430", "\u4e2d", "\u6587", "ov", "\u03b1\u03b2"]
    lexicon = ["".join(dice.choices(syllables, k=dice.randrange(1, 5))) for _ in range(3000)]
    out = []
    for _ in range(60000):
        word = lexicon[min(int(dice.paretovariate(0.6)), len(lexicon)) - 1]
        out.append(dice.choice([" ", " ", " ", " ", "  ", "\n", ", ", ". ", " 12", "'s ", "\n\n    ", "!?", " <|eot|>"]) + word)
    return "".join(out)


class Lastro:
    def __init__(self, program, folder):
        self.program = program
        self.folder = folder

    def encode_batch(self, texts):
        stdin = b"".join(struct.pack("<I", len(text)) + text for text in (t.encode() if isinstance(t, str) else t for t in texts))
        stdout = subprocess.run([self.program, "encode", self.folder], input=stdin, stdout=subprocess.PIPE, check=True).stdout
        at, batch = 0, []
        while at < len(stdout):
            (count,) = struct.unpack_from("<I", stdout, at)
            batch.append(list(struct.unpack_from(f"<{count}I", stdout, at + 4)))
            at += 4 + 4 * count
        assert len(batch) == len(texts)
        return batch


def load_tiktoken(folder):
    with open(os.path.join(folder, "tokenizer.tiktoken.json"), encoding="utf-8") as file:
        arguments = json.load(file)
    ranks = tiktoken.load.load_tiktoken_bpe(os.path.join(folder, "tokenizer.tiktoken"))
    return tiktoken.Encoding(mergeable_ranks=ranks, **arguments)


def trained_by_tokenizers(folder, text_file, size):
    """The merges that Hugging Face's trainer learns from the same text, cut in the same way."""
    ours = json.load(open(os.path.join(folder, "tokenizer.json"), encoding="utf-8"))
    pattern = ours["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"]
    theirs = tokenizers.Tokenizer(tokenizers.models.BPE())
    theirs.pre_tokenizer = tokenizers.pre_tokenizers.Sequence([
        tokenizers.pre_tokenizers.Split(tokenizers.Regex(pattern), "isolated"), tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=size, min_frequency=2, special_tokens=[token["content"] for token in ours["added_tokens"]], show_progress=False,
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet())
    theirs.train_from_iterator([open(text_file, encoding="utf-8", newline="").read()], trainer)
    return [" ".join(merge) if isinstance(merge, list) else merge for merge in json.loads(theirs.to_str())["model"]["merges"]], ours["model"]["merges"]


def check(claim, holds):
    print(("ok   " if holds else "FAIL ") + claim)
    if not holds:
        sys.exit(1)


def main():
    if tokenizers is None and tiktoken is None:
        print("skipped: neither tokenizers nor tiktoken can be imported (pip install tokenizers tiktoken)")
        sys.exit(77)
    program = sys.argv[1]
    strings = int(sys.argv[2]) if len(sys.argv) > 2 else 20000
    dice = random.Random(int(sys.argv[3]) if len(sys.argv) > 3 else 1)
    with tempfile.TemporaryDirectory() as folder:
        text_file = os.path.join(folder, "text.txt")
        with open(text_file, "w", encoding="utf-8", newline="") as file:
            file.write(training_text(dice))
        print(subprocess.run([program, "train", folder, "3000", text_file], stdout=subprocess.PIPE, check=True, text=True).stdout, end="")
        words = open(text_file, encoding="utf-8", newline="").read()[:200000].split(" ")
        lastro = Lastro(program, folder)
        others = {}
        if tokenizers is not None:
            theirs, ours = trained_by_tokenizers(folder, text_file, 3000)
            check(f"tokenizers {tokenizers.__version__} learns the same {len(ours)} merges", theirs == ours)
            hugging_face = tokenizers.Tokenizer.from_file(os.path.join(folder, "tokenizer.json"))
            hugging_face.encode_special_tokens = True   # as for text from outside: no special token is made of it
            others[f"tokenizers {tokenizers.__version__}"] = lambda texts: [e.ids for e in hugging_face.encode_batch_fast(texts, add_special_tokens=False)]
        else:
            print("skipped: tokenizers cannot be imported")
        if tiktoken is not None:
            openai = load_tiktoken(folder)
            others[f"tiktoken {tiktoken.__version__}"] = lambda texts: openai.encode_ordinary_batch(texts, num_threads=1)
        else:
            print("skipped: tiktoken cannot be imported")

        every_point = [chr(p) for p in range(0x110000) if not 0xD800 <= p < 0xE000]
        pairs = ["x" + "x".join(every_point[at : at + 256]) + " " + " ".join(every_point[at : at + 256]) for at in range(0, len(every_point), 256)]
        done = 0
        batches = [pairs] if strings >= 1000 else []
        while done < strings or batches:
            texts = batches.pop() if batches else [fuzzed(dice, words) for _ in range(min(20000, strings - done))]
            done += len(texts)
            ours = lastro.encode_batch(texts)
            for name, encode in others.items():
                for text, mine, theirs in zip(texts, ours, encode(texts)):
                    if mine != theirs:
                        check(f"{name} encodes {text!r} as {theirs}, Lastro as {mine}", False)
        check(f"{', '.join(others)}: equal ids on {done} strings, every code point of Unicode among them", True)


main()

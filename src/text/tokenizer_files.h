#pragma once

#include <filesystem>

#include "text/bpe_vocabulary.h"

namespace lastro {

// A tokenizer as files, as others read them. A folder holds
//
//   tokenizer.json           Hugging Face `tokenizers`: vocabulary, merges, pre-tokenisation (all character classes spelled out, so that no engine's
//                            Unicode version matters), special tokens
//   tokenizer_config.json    transformers 4 and 5: which special token does what
//   vocab.json, merges.txt   GPT-2's form of the same
//   tokenizer.tiktoken       base64 of a token's bytes, space, its rank, for tiktoken.load.load_tiktoken_bpe
//   tokenizer.tiktoken.json  the other arguments of tiktoken.Encoding: name, pat_str, special_tokens, explicit_n_vocab
//
// Hugging Face merges only listed pairs, tiktoken any neighbours whose concatenation is a token. They agree here, because every token of a trained
// vocabulary is what its own bytes merge to (first_unreachable in merge_table.h; checked when the files are written). They would not for a list of
// merges in which some token can be put together in two ways.
//
// One trap remains with those libraries: given text that holds "<|eot|>", Hugging Face makes the special token of it unless told otherwise
// (encode_special_tokens = True, or split_special_tokens in transformers); tiktoken raises an error. Lastro never makes one from text.
void write_tokenizer_files(const BpeVocabulary& vocabulary, const std::filesystem::path& folder);

// From tokenizer.json. Throws ContractError when it is damaged or not of Lastro's pre-tokenisation.
BpeVocabulary read_tokenizer_file(const std::filesystem::path& folder);

}   // namespace lastro

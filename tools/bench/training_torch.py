"""PyTorch's side of tools/bench/train: the same model and step, at PyTorch's best official CPU setting.

torch.compile of the model, set_float32_matmul_precision("medium"), scaled_dot_product_attention with grouped queries, fused AdamW.
Answers lines of stdin like training.cpp:
  steps N  ->  <wall seconds> <CPU seconds> <loss of the last step>
  end      ->  <peak resident bytes>
Usage: training_torch.py width layers heads kv_heads ffn vocabulary leaves sequences_per_leaf threads   (context: 256)
"""

import resource
import sys
import time

import torch
import torch.nn.functional as F
from torch import nn

CONTEXT = 256


class Block(nn.Module):
    def __init__(self, width, heads, kv_heads, ffn):
        super().__init__()
        self.heads, self.kv_heads, self.head_dim = heads, kv_heads, width // heads
        self.attention_norm, self.ffn_norm = nn.RMSNorm(width, eps=1e-5), nn.RMSNorm(width, eps=1e-5)
        self.qkv = nn.Linear(width, (heads + 2 * kv_heads) * self.head_dim, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        self.gate_up = nn.Linear(width, 2 * ffn, bias=False)
        self.down = nn.Linear(ffn, width, bias=False)

    def forward(self, x, cosines, sines):
        batch, tokens, width = x.shape
        qkv = self.qkv(self.attention_norm(x)).view(batch, tokens, -1, self.head_dim).transpose(1, 2)
        q, k, v = qkv.split([self.heads, self.kv_heads, self.kv_heads], dim=1)
        q, k = turned(q, cosines, sines), turned(k, cosines, sines)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=True)
        x = x + self.output(mixed.transpose(1, 2).reshape(batch, tokens, width))
        gate, up = self.gate_up(self.ffn_norm(x)).chunk(2, dim=-1)
        return x + self.down(F.silu(gate) * up)


def turned(x, cosines, sines):
    low, high = x.chunk(2, dim=-1)
    return x * cosines + torch.cat([-high, low], dim=-1) * sines


class Model(nn.Module):
    def __init__(self, width, layers, heads, kv_heads, ffn, vocabulary):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.blocks = nn.ModuleList(Block(width, heads, kv_heads, ffn) for _ in range(layers))
        self.norm = nn.RMSNorm(width, eps=1e-5)
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.normal_(parameter, std=0.02)
        head_dim = width // heads
        frequencies = 10000.0 ** (-torch.arange(0, head_dim, 2, dtype=torch.float64) / head_dim)
        angles = torch.outer(torch.arange(CONTEXT, dtype=torch.float64), frequencies).repeat(1, 2)
        self.register_buffer("cosines", angles.cos().float())
        self.register_buffer("sines", angles.sin().float())

    def forward(self, inputs, targets):
        x = self.embedding(inputs)
        for block in self.blocks:
            x = block(x, self.cosines, self.sines)
        logits = F.linear(self.norm(x), self.embedding.weight)
        return F.cross_entropy(logits.flatten(0, 1), targets.flatten())


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def peak_resident_bytes():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM"))


def main():
    width, layers, heads, kv_heads, ffn, vocabulary, leaves, sequences, threads = map(int, sys.argv[1:])
    torch.set_num_threads(threads)
    torch.set_float32_matmul_precision("medium")
    torch.manual_seed(42)
    model = Model(width, layers, heads, kv_heads, ffn, vocabulary)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1, fused=True)
    compiled = torch.compile(model)
    tokens = torch.randint(vocabulary, (leaves * sequences, CONTEXT + 1))

    def step():
        optimizer.zero_grad(set_to_none=True)
        loss = compiled(tokens[:, :-1].contiguous(), tokens[:, 1:].contiguous())
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        return loss

    for line in sys.stdin:
        command, *rest = line.split()
        if command == "end":
            break
        begin, cpu_begin = time.perf_counter(), cpu_seconds()
        for _ in range(int(rest[0])):
            loss = step()
        print(f"{time.perf_counter() - begin:.6f} {cpu_seconds() - cpu_begin:.6f} {loss.item():.4f}", flush=True)
    print(peak_resident_bytes(), flush=True)


main()

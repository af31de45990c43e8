"""Writes a tiny language model with random weights, for servers that read GGUF. Its texts are meaningless, but its
behaviour is real. Needs `gguf` and `numpy` from PyPI.
"""

from __future__ import annotations

import argparse

import gguf
import numpy as np

EMBEDDING, HEADS, LAYERS, FEED_FORWARD, CONTEXT = 64, 4, 2, 128, 32_768
CONTROL, UNKNOWN, NORMAL, BYTE = (gguf.TokenType.CONTROL, gguf.TokenType.UNKNOWN, gguf.TokenType.NORMAL, gguf.TokenType.BYTE)


def main() -> None:
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("file", help="the .gguf to write")
    p.add_argument("--seed", type=int, default=1)
    arguments = p.parse_args()
    random = np.random.default_rng(arguments.seed)
    words = [chr(c) for c in range(97, 123)] + ["\u2581" + chr(c) for c in range(97, 123)]
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{b:02X}>" for b in range(256)), *words]
    kinds = [UNKNOWN, CONTROL, CONTROL, *[BYTE] * 256, *[NORMAL] * len(words)]
    out = gguf.GGUFWriter(arguments.file, "llama")
    out.add_name("tiny-random")
    out.add_context_length(CONTEXT)
    out.add_embedding_length(EMBEDDING)
    out.add_block_count(LAYERS)
    out.add_feed_forward_length(FEED_FORWARD)
    out.add_head_count(HEADS)
    out.add_head_count_kv(HEADS)
    out.add_rope_dimension_count(EMBEDDING // HEADS)
    out.add_layer_norm_rms_eps(1e-5)
    out.add_vocab_size(len(tokens))
    out.add_tokenizer_model("llama")
    out.add_token_list(tokens)
    out.add_token_scores([0.0] * len(tokens))
    out.add_token_types(kinds)
    out.add_bos_token_id(1)
    out.add_eos_token_id(2)
    out.add_unk_token_id(0)

    def weights(name: str, *shape: int) -> None:
        out.add_tensor(name, (random.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32))

    weights("token_embd.weight", len(tokens), EMBEDDING)
    weights("output.weight", len(tokens), EMBEDDING)
    out.add_tensor("output_norm.weight", np.ones(EMBEDDING, dtype=np.float32))
    for i in range(LAYERS):
        for name in ("attn_norm", "ffn_norm"):
            out.add_tensor(f"blk.{i}.{name}.weight", np.ones(EMBEDDING, dtype=np.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            weights(f"blk.{i}.{name}.weight", EMBEDDING, EMBEDDING)
        for name in ("ffn_gate", "ffn_up"):
            weights(f"blk.{i}.{name}.weight", FEED_FORWARD, EMBEDDING)
        weights(f"blk.{i}.ffn_down.weight", EMBEDDING, FEED_FORWARD)
    out.write_header_to_file()
    out.write_kv_data_to_file()
    out.write_tensors_to_file()
    out.close()


if __name__ == "__main__":
    main()

"""Make a tiny random model, its tokenizer and some documents, for `activations.yaml`; needs numpy.

python make_input.py [FOLDER]
"""

import json
import struct
import sys
from pathlib import Path

import numpy as np

LAYERS, WIDTH, INNER, HEADS, KV_HEADS = 4, 64, 128, 4, 2
CONFIG = {
    "model_type": "llama",
    "hidden_size": WIDTH,
    "intermediate_size": INNER,
    "num_hidden_layers": LAYERS,
    "num_attention_heads": HEADS,
    "num_key_value_heads": KV_HEADS,
    "vocab_size": 257,
    "rms_norm_eps": 1e-5,
    "max_position_embeddings": 512,
    "tie_word_embeddings": True,
}

ABOUT = {"tokenizer_class": "PreTrainedTokenizerFast", "bos_token": "<s>"}


def main(folder: Path) -> None:
    model, documents = folder / "model", folder / "documents"
    for path in (model, documents):
        path.mkdir(parents=True, exist_ok=True)
    (model / "config.json").write_text(json.dumps(CONFIG, indent=1))
    (model / "tokenizer.json").write_text(json.dumps(tokenizer()))
    (model / "tokenizer_config.json").write_text(json.dumps(ABOUT))
    save(model / "model.safetensors", weights(np.random.default_rng(0)))
    lines = (json.dumps({"text": text}) for text in texts())
    (documents / "documents.jsonl").write_text("\n".join(lines) + "\n")


def weights(rng: np.random.Generator) -> dict[str, np.ndarray]:
    head = WIDTH // HEADS
    shapes = {
        "self_attn.q_proj": (WIDTH, WIDTH),
        "self_attn.k_proj": (KV_HEADS * head, WIDTH),
        "self_attn.v_proj": (KV_HEADS * head, WIDTH),
        "self_attn.o_proj": (WIDTH, WIDTH),
        "mlp.gate_proj": (INNER, WIDTH),
        "mlp.up_proj": (INNER, WIDTH),
        "mlp.down_proj": (WIDTH, INNER),
        "input_layernorm": (WIDTH,),
        "post_attention_layernorm": (WIDTH,),
    }
    found = {"model.embed_tokens.weight": rng.normal(size=(CONFIG["vocab_size"], WIDTH))}
    for layer in range(LAYERS):
        for name, shape in shapes.items():
            values = np.ones(shape) if len(shape) == 1 else rng.normal(scale=shape[1] ** -0.5, size=shape)
            found[f"model.layers.{layer}.{name}.weight"] = values
    return found | {"model.norm.weight": np.ones(WIDTH)}


def save(file: Path, tensors: dict[str, np.ndarray]) -> None:
    """Write float32 safetensors: 8 bytes of length, a JSON header, the numbers."""
    header, data = {}, b""
    for name, values in tensors.items():
        numbers = values.astype("<f4").tobytes()
        offsets = [len(data), len(data) + len(numbers)]
        header[name] = {"dtype": "F32", "shape": values.shape, "data_offsets": offsets}
        data += numbers
    words = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(words)) + words + data)


def tokenizer() -> dict:
    """One token per byte, and one that begins every document."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    characters = {chr(byte): byte for byte in plain}
    characters |= {chr(256 + index): byte for index, byte in enumerate(others)}
    begin = {"id": 256, "content": "<s>", "special": True}
    added = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": False}
    return {
        "version": "1.0",
        "added_tokens": [begin | added],
        "pre_tokenizer": byte_level,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
            ],
            "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 0}}],
            "special_tokens": {"<s>": {"id": "<s>", "ids": [256], "tokens": ["<s>"]}},
        },
        "decoder": byte_level,
        "model": {"type": "BPE", "vocab": characters | {"<s>": 256}, "merges": []},
    }


def texts() -> list[str]:
    words = ["the", "model", "reads", "a", "word", "and", "writes", "what", "it", "thinks", "of", "it"]
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(words, size)) for size in rng.integers(3, 90, 200)]


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "/tmp/tpuherd-activations"))

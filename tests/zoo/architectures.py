"""Architectures of `transformers`: for each the class of its model, the settings of its configuration, its inputs.

Widths are 32 to 64 with two layers; dropout does nothing in evaluation mode, in which models are made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch import nn

from tests.zoo.row import (
    BATCH,
    MASKED_TEXT,
    PAIRS,
    TEXT,
    VOCABULARY,
    Model,
    masked_text,
    normal,
    pairs,
    text,
    tokens,
)


def row(
    name: str,
    kind: str,
    model: str,
    config: str,
    settings: Mapping[str, Any],
    inputs: Callable[[int, int, int], dict[str, Any]],
    dynamic: Mapping[str, tuple[int, ...]],
    **known: Any,
) -> Model:
    """A row whose model is `transformers.<model>(transformers.<config>(**settings))`."""

    def build() -> nn.Module:
        import transformers

        made = getattr(transformers, config)(**settings)
        return getattr(transformers, model)(made)

    return Model(name, kind, build, inputs, dynamic, **known)


COMMON = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
DECODER = COMMON | {"intermediate_size": 64, "use_cache": False}
GROUPED = DECODER | {"num_key_value_heads": 2}
GPT = {
    "vocab_size": VOCABULARY,
    "n_embd": 32,
    "n_layer": 2,
    "n_head": 4,
    "n_positions": 128,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "use_cache": False,
}
ENCODER = COMMON | {"intermediate_size": 64}
SEQ2SEQ = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "encoder_layers": 2,
    "decoder_layers": 2,
    "encoder_attention_heads": 4,
    "decoder_attention_heads": 4,
    "encoder_ffn_dim": 64,
    "decoder_ffn_dim": 64,
    "max_position_embeddings": 128,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "decoder_start_token_id": 1,
    "use_cache": False,
}
T5 = {
    "vocab_size": VOCABULARY,
    "d_model": 32,
    "d_kv": 8,
    "d_ff": 64,
    "num_layers": 2,
    "num_heads": 4,
    "pad_token_id": 0,
    "eos_token_id": 1,
    "decoder_start_token_id": 0,
    "use_cache": False,
}

DECODERS = (
    row("llama", "decoder", "LlamaForCausalLM", "LlamaConfig", GROUPED, text, TEXT),
    row("llama_padded", "decoder", "LlamaForCausalLM", "LlamaConfig", GROUPED, masked_text, MASKED_TEXT),
    row("gpt2", "decoder", "GPT2LMHeadModel", "GPT2Config", GPT, text, TEXT),
    row("gpt_neox", "decoder", "GPTNeoXForCausalLM", "GPTNeoXConfig", DECODER, text, TEXT),
    row("gptj", "decoder", "GPTJForCausalLM", "GPTJConfig", GPT | {"rotary_dim": 4}, text, TEXT),
    row("mistral", "decoder", "MistralForCausalLM", "MistralConfig", GROUPED | {"sliding_window": 4}, text, TEXT),
    row("qwen2", "decoder", "Qwen2ForCausalLM", "Qwen2Config", GROUPED, text, TEXT),
    row("qwen3", "decoder", "Qwen3ForCausalLM", "Qwen3Config", GROUPED | {"head_dim": 8}, text, TEXT),
    row("phi", "decoder", "PhiForCausalLM", "PhiConfig", DECODER, text, TEXT),
    row("gemma2", "decoder", "Gemma2ForCausalLM", "Gemma2Config", GROUPED | {"head_dim": 8}, text, TEXT),
    row(
        "falcon",
        "decoder",
        "FalconForCausalLM",
        "FalconConfig",
        COMMON | {"alibi": False, "new_decoder_architecture": True, "num_kv_heads": 2, "use_cache": False},
        text,
        TEXT,
    ),
    row(
        "opt",
        "decoder",
        "OPTForCausalLM",
        "OPTConfig",
        COMMON | {"ffn_dim": 64, "word_embed_proj_dim": 32, "use_cache": False},
        masked_text,
        MASKED_TEXT,
    ),
    row(
        "bloom",
        "decoder",
        "BloomForCausalLM",
        "BloomConfig",
        {"vocab_size": VOCABULARY, "hidden_size": 32, "n_layer": 2, "n_head": 4, "use_cache": False},
        masked_text,
        MASKED_TEXT,
    ),
)

ENCODERS = (
    row("bert", "encoder", "BertForMaskedLM", "BertConfig", ENCODER, masked_text, MASKED_TEXT),
    row("roberta", "encoder", "RobertaModel", "RobertaConfig", ENCODER, text, TEXT),
    row(
        "distilbert",
        "encoder",
        "DistilBertModel",
        "DistilBertConfig",
        {"vocab_size": VOCABULARY, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 64, "pad_token_id": 0},
        masked_text,
        MASKED_TEXT,
    ),
    row("albert", "encoder", "AlbertModel", "AlbertConfig", ENCODER | {"embedding_size": 16}, text, TEXT),
    row("electra", "encoder", "ElectraModel", "ElectraConfig", ENCODER | {"embedding_size": 16}, text, TEXT),
    row(
        "deberta_v2",
        "encoder",
        "DebertaV2Model",
        "DebertaV2Config",
        ENCODER
        | {
            "relative_attention": True,
            "pos_att_type": ["p2c", "c2p"],
            "position_buckets": 8,
            "norm_rel_ebd": "layer_norm",
            "share_att_key": True,
        },
        masked_text,
        MASKED_TEXT,
    ),
    row("fnet", "encoder", "FNetModel", "FNetConfig", ENCODER, text, TEXT),
    row(
        "modernbert",
        "encoder",
        "ModernBertModel",
        "ModernBertConfig",
        ENCODER | {"local_attention": 8, "cls_token_id": 1, "sep_token_id": 2, "reference_compile": False},
        masked_text,
        MASKED_TEXT,
    ),
)

ENCODER_DECODERS = (
    row("t5", "encoder-decoder", "T5ForConditionalGeneration", "T5Config", T5, pairs, PAIRS),
    row("bart", "encoder-decoder", "BartForConditionalGeneration", "BartConfig", SEQ2SEQ, pairs, PAIRS),
    row("marian", "encoder-decoder", "MarianMTModel", "MarianConfig", SEQ2SEQ, pairs, PAIRS),
)

EXPERTS = (
    row(
        "mixtral",
        "mixture of experts",
        "MixtralForCausalLM",
        "MixtralConfig",
        GROUPED | {"num_local_experts": 4, "num_experts_per_tok": 2},
        text,
        TEXT,
    ),
    row(
        "qwen2_moe",
        "mixture of experts",
        "Qwen2MoeForCausalLM",
        "Qwen2MoeConfig",
        GROUPED
        | {
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "shared_expert_intermediate_size": 32,
        },
        text,
        TEXT,
    ),
    row(
        "deepseek_v3",
        "mixture of experts",
        "DeepseekV3ForCausalLM",
        "DeepseekV3Config",
        DECODER
        | {
            "num_key_value_heads": 4,
            "moe_intermediate_size": 32,
            "n_routed_experts": 4,
            "n_shared_experts": 1,
            "num_experts_per_tok": 2,
            "n_group": 2,
            "topk_group": 1,
            "first_k_dense_replace": 1,
            "q_lora_rank": 16,
            "kv_lora_rank": 16,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
        },
        text,
        TEXT,
    ),
)


def image(batch: int, length: int, seed: int) -> dict[str, Any]:
    """Pictures of three channels, `length` patches of eight high and five wide."""
    return {"pixel_values": normal(seed, batch, 3, 8 * length, 40)}


def vit_image(batch: int, length: int, seed: int) -> dict[str, Any]:
    return image(batch, length, seed) | {"interpolate_pos_encoding": True}


def captioned(batch: int, length: int, seed: int) -> dict[str, Any]:
    """A picture of fixed size and a text for each row."""
    return masked_text(batch, length, seed) | {"pixel_values": normal(seed + 2, batch, 3, 32, 32)}


IMAGE = {"pixel_values": (0, 2)}
VIT = ENCODER | {"image_size": 32, "patch_size": 8}
VISION = (
    row("vit", "vision", "ViTModel", "ViTConfig", VIT, vit_image, IMAGE, size=(3, 4)),
    row("dinov2", "vision", "Dinov2Model", "Dinov2Config", VIT, image, IMAGE, size=(3, 4)),
    row(
        "convnext",
        "vision",
        "ConvNextModel",
        "ConvNextConfig",
        {"hidden_sizes": [16, 32], "depths": [1, 1], "num_stages": 2, "patch_size": 4},
        image,
        IMAGE,
        size=(3, 4),
    ),
    row(
        "swin",
        "vision",
        "SwinModel",
        "SwinConfig",
        {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [2, 2], "num_heads": [2, 4], "window_size": 4},
        vit_image,
        {"pixel_values": (0,)},
        long=False,
        why="whether windows are shifted and padded is decided by the size: a graph for each",
        size=(3, 4),
    ),
    row(
        "resnet_hf",
        "vision",
        "ResNetModel",
        "ResNetConfig",
        {"embedding_size": 16, "hidden_sizes": [16, 32], "depths": [1, 1], "layer_type": "basic"},
        image,
        IMAGE,
        size=(3, 4),
    ),
    row(
        "mobilenet_v2",
        "vision",
        "MobileNetV2Model",
        "MobileNetV2Config",
        {"depth_multiplier": 0.25, "image_size": 32, "tf_padding": False},
        image,
        IMAGE,
        size=(3, 6),
        lengths=(5, 12),
    ),
    row(
        "segformer",
        "vision",
        "SegformerForSemanticSegmentation",
        "SegformerConfig",
        {
            "num_encoder_blocks": 2,
            "depths": [1, 1],
            "sr_ratios": [2, 1],
            "hidden_sizes": [16, 32],
            "patch_sizes": [7, 3],
            "strides": [4, 2],
            "num_attention_heads": [2, 4],
            "mlp_ratios": [2, 2],
            "decoder_hidden_size": 16,
            "num_labels": 5,
        },
        image,
        IMAGE,
        size=(3, 4),
    ),
    row(
        "clip",
        "vision",
        "CLIPModel",
        "CLIPConfig",
        {
            "text_config": ENCODER | {"projection_dim": 16},
            "vision_config": VIT | {"projection_dim": 16},
            "projection_dim": 16,
        },
        captioned,
        MASKED_TEXT | {"pixel_values": (0,)},
    ),
)


def signal(batch: int, length: int, seed: int) -> dict[str, Any]:
    """A sound of `length` hops of fifty samples."""
    return {"input_values": normal(seed, batch, 50 * length)}


def spectrum(batch: int, length: int, seed: int) -> dict[str, Any]:
    """Whisper's mel bands over its fixed window, and `length` tokens to decode."""
    return {"input_features": normal(seed, batch, 16, 32), "decoder_input_ids": tokens(batch, length, seed)}


WAVE = ENCODER | {
    "conv_dim": (16, 16, 16),
    "conv_stride": (5, 2, 2),
    "conv_kernel": (10, 3, 3),
    "num_feat_extract_layers": 3,
    "num_conv_pos_embeddings": 8,
    "num_conv_pos_embedding_groups": 2,
    "mask_time_prob": 0.0,
    "mask_feature_prob": 0.0,
}
SIGNAL = {"input_values": (0, 1)}
AUDIO = (
    row("wav2vec2", "audio", "Wav2Vec2Model", "Wav2Vec2Config", WAVE, signal, SIGNAL),
    row("hubert", "audio", "HubertModel", "HubertConfig", WAVE, signal, SIGNAL),
    row(
        "whisper",
        "audio",
        "WhisperForConditionalGeneration",
        "WhisperConfig",
        SEQ2SEQ | {"num_mel_bins": 16, "max_source_positions": 16, "max_target_positions": 128},
        spectrum,
        {"input_features": (0,), "decoder_input_ids": (0, 1)},
    ),
)

STATE = {
    "vocab_size": VOCABULARY,
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "state_size": 8,
    "conv_kernel": 4,
    "expand": 2,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "use_cache": False,
}
STATE_SPACE = (
    row(
        "mamba",
        "state space",
        "MambaForCausalLM",
        "MambaConfig",
        STATE | {"time_step_rank": 4},
        text,
        BATCH,
        long=False,
        why="its scan by halves is unrolled: a graph for each length",
    ),
    row(
        "mamba2",
        "state space",
        "Mamba2ForCausalLM",
        "Mamba2Config",
        STATE | {"num_heads": 4, "head_dim": 16, "n_groups": 2, "chunk_size": 8},
        text,
        BATCH,
        long=False,
        why="whether the last chunk is padded is decided by the length: a graph for each way",
        size=(3, 19),
    ),
    row(
        "recurrent_gemma",
        "state space",
        "RecurrentGemmaForCausalLM",
        "RecurrentGemmaConfig",
        DECODER | {"num_key_value_heads": 1, "lru_width": 32, "attention_window_size": 8, "num_hidden_layers": 3},
        text,
        BATCH,
        long=False,
        why="steps over the sequence are unrolled: a graph for each length",
    ),
    row(
        "rwkv",
        "state space",
        "RwkvForCausalLM",
        "RwkvConfig",
        {
            "vocab_size": VOCABULARY,
            "context_length": 64,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "attention_hidden_size": 32,
            "intermediate_size": 64,
            "use_cache": False,
        },
        text,
        BATCH,
        long=False,
        why="steps over the sequence are unrolled: a graph for each length",
    ),
)

ROWS = (*DECODERS, *ENCODERS, *ENCODER_DECODERS, *EXPERTS, *VISION, *AUDIO, *STATE_SPACE)

// Words of the page in both languages. word("fit") gives the one of the language at hand.
const WORDS = {
  en: {
    colour: "colour", constants: "constants", foldAll: "Fold", unfoldAll: "Unfold", fit: "Fit", search: "Search  ( / )",
    nodes: "nodes", peak: "peak", perCall: "per call", kind: "by kind", time: "by time", memory: "by bytes", maker: "by maker",
    tabMemory: "Memory", tabTimes: "Times", tabPasses: "Passes", tabProgram: "Program", tabText: "Text", hide: "Hide",
    inputs: "Inputs", outputs: "Outputs", readers: "Read by", attributes: "Attributes", origin: "Where it comes from", subgraphs: "Subgraphs",
    line: "line", module: "module", fx: "FX node", target: "target", madeBy: "made by", measures: "Measures", timeOne: "time", bytes: "bytes",
    alive: "alive after it", effect: "effect", shares: "shares memory of", results: "result of the graph", none: "none", open: "open", close: "Back",
    noTimes: "No times: the page was made without running the graph.", noPasses: "No pass changed the graph.", noSource: "No program: the graph was not compiled.",
    live: "live intermediate bytes after each node", count: "nodes of this type", members: "nodes inside", again: "visit", other: "other",
    k_input: "input", k_const: "constant", k_library: "GE library", k_aten: "ATen call", k_custom: "custom", k_host: "sizes", k_control: "control flow", k_cluster: "cluster",
    keys: "Keys", keySearch: "search; Enter: next hit", keyArrows: "to producers, readers, siblings", keyFold: "fold or unfold a module", keyFit: "whole graph", keyZoom: "zoom", keyEscape: "clear",
    planned: "in the plan", assumed: "sizes guessed", original: "original", all: "all",
  },
  zh: {
    colour: "着色", constants: "常量", foldAll: "折叠", unfoldAll: "展开", fit: "全图", search: "搜索  ( / )",
    nodes: "个节点", peak: "峰值", perCall: "每次调用", kind: "按种类", time: "按耗时", memory: "按字节", maker: "按来源",
    tabMemory: "内存", tabTimes: "耗时", tabPasses: "优化过程", tabProgram: "程序", tabText: "文本", hide: "收起",
    inputs: "输入", outputs: "输出", readers: "被读取", attributes: "属性", origin: "来源", subgraphs: "子图",
    line: "代码行", module: "模块", fx: "FX 节点", target: "目标", madeBy: "生成者", measures: "度量", timeOne: "耗时", bytes: "字节",
    alive: "其后存活", effect: "副作用", shares: "共享内存", results: "图的结果", none: "无", open: "打开", close: "返回",
    noTimes: "没有耗时：生成页面时未执行该图。", noPasses: "没有优化改变该图。", noSource: "没有程序：该图未编译。",
    live: "每个节点之后存活的中间字节数", count: "同类型节点", members: "内部节点", again: "第几次", other: "其他",
    k_input: "输入", k_const: "常量", k_library: "GE 库算子", k_aten: "ATen 调用", k_custom: "自定义", k_host: "尺寸", k_control: "控制流", k_cluster: "融合簇",
    keys: "按键", keySearch: "搜索；回车：下一个", keyArrows: "到生产者、读者、相邻节点", keyFold: "折叠或展开模块", keyFit: "全图", keyZoom: "缩放", keyEscape: "清除",
    planned: "规划后", assumed: "尺寸为假定值", original: "优化前", all: "全部",
  },
};
let language = (navigator.language || "en").startsWith("zh") ? "zh" : "en";
const word = (key) => WORDS[language][key] ?? WORDS.en[key] ?? key;

export type TokenKind = "text" | "comment" | "string" | "number" | "keyword" | "call";

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

// Keywords of Python, Rust, C and C++ together. A keyword of one language is rarely a name in another.
const KEYWORDS = new Set(
  ("and as assert async auto await bool break case class const continue crate def del double elif else enum except extern false finally float fn for from global if impl "
    + "import in int int32_t int64_t lambda let long loop match mod mut namespace None nonlocal not null nullptr or pass pub raise ref return self Self size_t static struct super "
    + "switch template this trait True False true try type typedef typename unsafe unsigned use using var virtual void where while with yield").split(" "),
);

const PYTHON = /(#.*)|((?:[rbfuRBFU]{0,2})(?:"""[^]*?(?:"""|$)|'''[^]*?(?:'''|$)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))|(\b\d\w*(?:\.\d\w*)?)|([A-Za-z_]\w*)/g;
const BRACES = /(\/\/.*|\/\*[^]*?(?:\*\/|$))|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\\n])')|(\b\d\w*(?:\.\d\w*)?)|([A-Za-z_]\w*)/g;

/** The tokens of each line of a program's text, for simple highlighting. */
export function highlight(text: string, path: string): Token[][] {
  const lines: Token[][] = [[]];
  const put = (kind: TokenKind, part: string): void => {
    part.split("\n").forEach((piece, index) => {
      if (index > 0) lines.push([]);
      if (piece !== "") lines[lines.length - 1]?.push({ kind, text: piece });
    });
  };
  const grammar = /\.(rs|c|cc|cpp|cu|cuh|h|hpp|cxx)$/.test(path) ? BRACES : PYTHON;
  let at = 0;
  for (const match of text.matchAll(grammar)) {
    if (match.index > at) put("text", text.slice(at, match.index));
    const [whole, comment, string, number] = match;
    at = match.index + whole.length;
    if (comment !== undefined) put("comment", whole);
    else if (string !== undefined) put("string", whole);
    else if (number !== undefined) put("number", whole);
    else put(KEYWORDS.has(whole) ? "keyword" : text[at] === "(" ? "call" : "text", whole);
  }
  if (at < text.length) put("text", text.slice(at));
  return lines;
}

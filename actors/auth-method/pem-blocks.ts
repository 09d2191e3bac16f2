// Keys and certificates in PEM, as Config has them (spec: auth.md §2).

export interface PemBlock {
  readonly label: string
  /** With both markers. */
  readonly text: string
}

const MARKER = /-----(BEGIN|END) ([A-Z0-9 ]{1,64})-----/g

/** Yields the complete blocks of a text. Linear in it, whatever markers it has. */
export function* pemBlocks(text: string): Generator<PemBlock> {
  let begun: { readonly label: string; readonly at: number } | undefined
  for (const { 0: marker, 1: kind, 2: label = '', index } of text.matchAll(MARKER)) {
    if (kind === 'END' && begun?.label === label)
      yield { label, text: text.slice(begun.at, index + marker.length) }
    begun = kind === 'BEGIN' ? { label, at: index } : undefined
  }
}

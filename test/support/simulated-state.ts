// The content of a simulated disk: file bytes and folder names, as currently visible and as durable.
import type { Random } from './random.js'

/** A change of a file that a power failure may undo, wholly or partly. */
type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Buffer }
  | { readonly kind: 'truncate'; readonly size: number }

interface Lock {
  readonly owner: object
  readonly place: number
  readonly mode: 'exclusive' | 'shared'
}

/** Bytes that files share until one of them changes them: most of a disk is the same after each of many power failures. */
class Content {
  #isShared = false

  constructor(readonly bytes: Buffer) {}

  share(): this {
    this.#isShared = true
    return this
  }

  /** Returns bytes that no other file has. */
  own(): Content {
    return this.#isShared ? new Content(Buffer.from(this.bytes)) : this
  }

  /** Returns the bytes after a change, which is made in place unless they are shared or grow. */
  with(change: Change): Content {
    if (change.kind === 'truncate') {
      const cut = Buffer.alloc(change.size)
      this.bytes.copy(cut)
      return new Content(cut)
    }
    const { position, bytes } = change
    // Nothing is written beyond the end either.
    if (bytes.length === 0) return this
    const end = position + bytes.length
    const changed =
      end > this.bytes.length
        ? new Content(Buffer.concat([this.bytes, Buffer.alloc(end - this.bytes.length)]))
        : this.own()
    bytes.copy(changed.bytes, position)
    return changed
  }
}

const EMPTY = Buffer.alloc(0)

/** A file's bytes, apart from its name. */
export class Inode {
  locks: Lock[] = []
  #live: Content
  #durable: Content
  #changes: Change[] = []

  private constructor(durable: Content, live = durable) {
    this.#durable = durable.share()
    this.#live = live.share()
  }

  static of(content: Uint8Array = EMPTY): Inode {
    return new Inode(new Content(Buffer.from(content)))
  }

  /** The content that processes see. */
  get live(): Buffer {
    return this.#live.bytes
  }

  /** Returns the content that processes see, which can be changed in place. */
  ownLive(): Buffer {
    this.#live = this.#live.own()
    return this.#live.bytes
  }

  /** Begins a write that is not visible yet, but may survive a power failure. Returns a function that forgets it. */
  begin(position: number, bytes: Buffer): () => void {
    const change: Change = { kind: 'write', position, bytes }
    this.#changes.push(change)
    return () => void (this.#changes = this.#changes.filter(other => other !== change))
  }

  write(position: number, bytes: Buffer): Change {
    const change: Change = { kind: 'write', position, bytes }
    this.#live = this.#live.with(change)
    this.#changes.push(change)
    return change
  }

  truncate(size: number): void {
    const change: Change = { kind: 'truncate', size }
    this.#live = this.#live.with(change)
    this.#changes.push(change)
  }

  /** Makes a change durable by itself. */
  settle(change: Change): void {
    this.#durable = this.#durable.with(change)
    this.#changes = this.#changes.filter(other => other !== change)
  }

  flush(): void {
    this.#durable = this.#live.share()
    this.#changes = []
  }

  copy(): Inode {
    const copy = new Inode(this.#durable, this.#live)
    copy.#changes = [...this.#changes]
    return copy
  }

  /** Returns the file after a power failure: any part of the changes that are not durable, in any order, in blocks. */
  powerLoss(random: Random, block: number): Inode {
    let content: Content = this.#durable.share()
    for (const change of shuffled(this.#changes, random)) {
      if (change.kind === 'truncate') {
        if (random.below(2) === 0) content = content.with(change)
        continue
      }
      content = torn(content, change, random, block)
    }
    return new Inode(content)
  }
}

/** Chooses the blocks of a torn write that reach the disk. */
const tearings: readonly ((random: Random, first: number, count: number) => (block: number) => boolean)[] = [
  () => () => false,
  () => () => true,
  random => () => random.below(2) === 0,
  (random, first, count) => {
    const end = first + random.below(count + 1)
    return block => block < end
  },
  (random, first, count) => {
    const start = first + random.below(count + 1)
    return block => block >= start
  },
  (random, first, count) => {
    const hole = first + random.below(count)
    return block => block !== hole
  }
]

/** Applies a torn write. */
const torn = (
  content: Content,
  { position, bytes }: Change & { kind: 'write' },
  random: Random,
  block: number
): Content => {
  if (bytes.length === 0) return content
  const first = Math.floor(position / block)
  const count = Math.floor((position + bytes.length - 1) / block) - first + 1
  const tearing = tearings[random.below(tearings.length)] ?? tearings[0]
  const reaches = tearing?.(random, first, count) ?? (() => false)
  let result = content
  for (let at = first; at < first + count; at++) {
    const from = Math.max(position, at * block)
    const to = Math.min(position + bytes.length, (at + 1) * block)
    if (reaches(at)) {
      result = result.with({
        kind: 'write',
        position: from,
        bytes: bytes.subarray(from - position, to - position)
      })
    } else if (block > SECTOR && random.below(4) === 0 && at * block < result.bytes.length) {
      // Without power-safe overwrite, the whole block is lost, including its earlier content.
      result = result.own()
      result.bytes.fill(0, at * block, Math.min(result.bytes.length, (at + 1) * block))
    }
  }
  return result
}

/** Blocks of this size are written atomically, and the content beside a write in a block is preserved. */
const SECTOR = 512

const shuffled = <T>(items: readonly T[], random: Random): T[] => {
  const result = [...items]
  for (let i = result.length - 1; i > 0; i--) {
    const j = random.below(i + 1)
    const [a, b] = [result[i], result[j]]
    if (a !== undefined && b !== undefined) [result[i], result[j]] = [b, a]
  }
  return result
}

type Renaming =
  | { readonly kind: 'create'; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'rename'; readonly from: string; readonly name: string; readonly inode: Inode }
  | { readonly kind: 'unlink'; readonly name: string; readonly inode: Inode | undefined }

/** The names of one folder. */
export class LiveNames {
  #live = new Map<string, Inode>()
  #durable = new Map<string, Inode>()
  #changes: Renaming[] = []

  get(name: string): Inode | undefined {
    return this.#live.get(name)
  }

  names(): string[] {
    return [...this.#live.keys()]
  }

  create(name: string, inode: Inode): void {
    this.#change({ kind: 'create', name, inode })
  }

  rename(from: string, name: string): void {
    const inode = this.#live.get(from)
    if (inode) this.#change({ kind: 'rename', from, name, inode })
  }

  unlink(name: string): void {
    this.#change({ kind: 'unlink', name, inode: this.#live.get(name) })
  }

  flush(): void {
    this.#durable = new Map(this.#live)
    this.#changes = []
  }

  putDurable(name: string, inode: Inode): void {
    this.#live.set(name, inode)
    this.#durable.set(name, inode)
  }

  removeDurable(name: string): void {
    this.#live.delete(name)
    this.#durable.delete(name)
  }

  copy(): LiveNames {
    const copy = new LiveNames()
    const copies = new Map<Inode, Inode>()
    const once = (inode: Inode): Inode => {
      const made = copies.get(inode) ?? inode.copy()
      copies.set(inode, made)
      return made
    }
    for (const [name, inode] of this.#live) copy.#live.set(name, once(inode))
    for (const [name, inode] of this.#durable) copy.#durable.set(name, once(inode))
    copy.#changes = this.#changes.map(change =>
      change.inode === undefined ? change : { ...change, inode: once(change.inode) }
    )
    return copy
  }

  /** @param copies maps original files to their copies, so that a file with two names stays one */
  powerLoss(random: Random, block: number, copies: Map<Inode, Inode>): LiveNames {
    const names = new Map(this.#durable)
    for (const change of shuffled(this.#changes, random)) if (random.below(2) === 0) renamed(names, change)
    const lost = new LiveNames()
    for (const [name, inode] of names) {
      const copy = copies.get(inode) ?? inode.powerLoss(random, block)
      copies.set(inode, copy)
      lost.putDurable(name, copy)
    }
    return lost
  }

  #change(change: Renaming): void {
    renamed(this.#live, change)
    this.#changes.push(change)
  }
}

const renamed = (names: Map<string, Inode>, change: Renaming): void => {
  if (change.kind === 'unlink') {
    names.delete(change.name)
    return
  }
  if (change.kind === 'rename' && names.get(change.from) === change.inode) names.delete(change.from)
  names.set(change.name, change.inode)
}

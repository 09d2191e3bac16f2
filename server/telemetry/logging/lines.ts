// Passes redacted log lines on to followers.
import { pino, type LevelWithSilent, type Logger } from 'pino'

const { values: RANKS } = pino.levels
const LEVEL = /"level":"(\w+)"/

export type LineLevel = Exclude<LevelWithSilent, 'silent'>

export const isLineLevel = (text: string): text is LineLevel => Object.hasOwn(RANKS, text)

/** Unknown levels rank highest. */
const rankOf = (level: string | undefined): number => RANKS[level ?? ''] ?? Infinity

const rankIn = (line: string): number => rankOf(LEVEL.exec(line)?.[1])

interface Follower {
  readonly take: (line: string) => void
  readonly lowest: LineLevel
}

export class LogLines {
  readonly #followers = new Set<Follower>()
  #changed: (lowest: LineLevel | undefined) => void = () => {}
  #logger: Logger | undefined
  #ownLevel: LevelWithSilent = 'info'
  /** The logger's level is below `#ownLevel` for a follower. */
  #isLowered = false

  get size(): number {
    return this.#followers.size
  }

  /** Calls `take` with each line of at least the lowest level. Returns an unsubscribe function. */
  follow(take: (line: string) => void, lowest: LineLevel): () => void {
    const follower = { take, lowest }
    this.#followers.add(follower)
    this.#apply()
    return () => {
      if (this.#followers.delete(follower)) this.#apply()
    }
  }

  /** Calls the listener now and after each change of the lowest followed level; undefined for none. Supports one listener. */
  onFollowed(listener: (lowest: LineLevel | undefined) => void): void {
    this.#changed = listener
    listener(this.#lowestFollowed())
  }

  /** Sets the level of the server's own output. Only followers receive lines below it. */
  setOwnLevel(logger: Logger, level: LevelWithSilent): void {
    this.#logger = logger
    this.#ownLevel = level
    this.#apply()
  }

  /** Returns true if a line belongs to the server's own output. */
  isOwn(line: string): boolean {
    return !this.#isLowered || rankIn(line) >= rankOf(this.#ownLevel)
  }

  write(line: string): void {
    if (this.#followers.size === 0) return
    const rank = rankIn(line)
    for (const { take, lowest } of this.#followers) if (rank >= rankOf(lowest)) take(line)
  }

  #lowestFollowed(): LineLevel | undefined {
    let found: LineLevel | undefined
    for (const { lowest } of this.#followers) if (rankOf(lowest) < rankOf(found)) found = lowest
    return found
  }

  #apply(): void {
    const followed = this.#lowestFollowed()
    this.#isLowered = rankOf(followed) < rankOf(this.#ownLevel)
    if (this.#logger)
      this.#logger.level = followed !== undefined && this.#isLowered ? followed : this.#ownLevel
    this.#changed(followed)
  }
}

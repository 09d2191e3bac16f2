// The lines of the log as they are written, for those who follow it. Each has passed `redact`.

export class LogLines {
  readonly #followers = new Set<(line: string) => void>()
  #changed: (areFollowed: boolean) => void = () => {}

  /** Number of those who follow. */
  get size(): number {
    return this.#followers.size
  }

  /** Calls `follower` with every line from now on, until the function that it returns is called. */
  follow(follower: (line: string) => void): () => void {
    this.#followers.add(follower)
    if (this.#followers.size === 1) this.#changed(true)
    return () => {
      if (this.#followers.delete(follower) && this.#followers.size === 0) this.#changed(false)
    }
  }

  /** Calls now with whether anybody follows, and whenever that changes. For one listener. */
  onFollowed(listener: (areFollowed: boolean) => void): void {
    this.#changed = listener
    listener(this.#followers.size > 0)
  }

  write(line: string): void {
    for (const follower of this.#followers) follower(line)
  }
}

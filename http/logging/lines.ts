// The lines of the log as they are written, for those who follow it. Each has passed `redact`.

export class LogLines {
  readonly #followers = new Set<(line: string) => void>()

  /** Number of those who follow. */
  get size(): number {
    return this.#followers.size
  }

  /** Calls `follower` with every line from now on, until the function that it returns is called. */
  follow(follower: (line: string) => void): () => void {
    this.#followers.add(follower)
    return () => this.#followers.delete(follower)
  }

  write(line: string): void {
    for (const follower of this.#followers) follower(line)
  }
}

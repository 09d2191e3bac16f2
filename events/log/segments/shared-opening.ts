// Files that many read at a time, opened once for all who ask while that is under way.

interface Shared<F> {
  readonly file: Promise<F>
  users: number
}

export class SharedOpening<F extends { close(): Promise<void> }> {
  readonly #opening = new Map<string, Shared<F>>()

  constructor(private readonly open: (name: string) => Promise<F>) {
  }

  /**
   * Gives a file to `use`, and closes it when the last of those who share it is done. Who asks when it is open gets it opened anew:
   * meanwhile another may have taken its place.
   */
  async use<T>(name: string, use: (file: F) => Promise<T>): Promise<T> {
    let shared = this.#opening.get(name)
    if (!shared) {
      shared = { file: this.open(name).finally(() => this.#opening.delete(name)), users: 0 }
      this.#opening.set(name, shared)
    }
    shared.users++
    try {
      return await use(await shared.file)
    } finally {
      shared.users--
      if (shared.users === 0) await shared.file.then(file => file.close()).catch(() => {})
    }
  }
}

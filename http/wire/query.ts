// The query string of a request. Of a parameter given several times the first value counts, unless all are asked for.

/** Values are decoded. A flag without a value (`?stale`) has the value ''. */
export class Query {
  static readonly EMPTY = new Query('')
  /** Most requests have none, and are asked for a dozen all the same. */
  readonly isEmpty: boolean
  readonly #values = new Map<string, string[]>()
  /** False when the text cannot be decoded (`%zz`, `a;b`). */
  readonly isSound: boolean

  constructor(text: string) {
    this.isEmpty = text === ''
    let sound = !text.includes(';')
    for (const part of this.isEmpty ? [] : text.split('&')) {
      const at = part.indexOf('=')
      const decode = (raw: string): string => {
        try {
          return decodeURIComponent(raw.replaceAll('+', ' '))
        } catch {
          sound = false
          return raw
        }
      }
      const name = decode(at < 0 ? part : part.slice(0, at))
      const value = at < 0 ? '' : decode(part.slice(at + 1))
      const values = this.#values.get(name)
      if (values) values.push(value)
      else this.#values.set(name, [value])
    }
    this.isSound = sound
  }

  /** The name of each parameter, once. */
  get names(): Iterable<string> {
    return this.#values.keys()
  }

  has(name: string): boolean {
    return !this.isEmpty && this.#values.has(name)
  }

  /** The first value; undefined when the parameter is absent. */
  get(name: string): string | undefined {
    return this.isEmpty ? undefined : this.#values.get(name)?.[0]
  }

  /** The first value; undefined also when it is empty. */
  filled(name: string): string | undefined {
    return this.get(name) || undefined
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

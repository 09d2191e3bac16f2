import * as Type from 'typebox'

/** A parameter whose presence counts, whatever its value. */
export const present = (description: string) => Type.Literal(true, { description })

export const repeated = (description: string) => Type.Array(Type.String(), { description })

export const unsigned64 = (description: string) => Type.Integer({ minimum: 0, description })

/** The decoded query string of a request. Of repeated parameters the first value counts. A flag without a value (`?stale`) has the value ''. */
export class Query {
  static readonly EMPTY = new Query('')
  /** Fast path, since most requests have none and about a dozen parameters are read. */
  readonly isEmpty: boolean
  readonly #values = new Map<string, string[]>()
  /** False when the text is malformed (`%zz`, `a;b`). */
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

  get names(): Iterable<string> {
    return this.#values.keys()
  }

  has(name: string): boolean {
    return !this.isEmpty && this.#values.has(name)
  }

  get(name: string): string | undefined {
    return this.isEmpty ? undefined : this.#values.get(name)?.[0]
  }

  /** Returns the first value; undefined when the parameter is absent or empty. */
  filled(name: string): string | undefined {
    return this.get(name) || undefined
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? []
  }
}

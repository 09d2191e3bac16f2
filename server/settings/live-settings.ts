// The settings that a server goes by: those of its start, and of later readings what can change while it runs.
import { isDeepStrictEqual } from 'node:util'
import { keyByPath } from './keys.js'
import type { Settings } from './settings.js'

/** What another reading of the sources found. Keys are named, their values are not: some are secrets. */
interface Reading {
  /** As the server would go by them: new values for the keys that can change while it runs, and the old ones for all others. */
  readonly settings: Settings
  /** Paths of the keys that have another value in `settings`. */
  readonly changed: readonly string[]
  /** Paths of the keys whose new value only the next start takes. */
  readonly needRestart: readonly string[]
}

const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export class LiveSettings {
  #current: Settings

  /** @param load reads all sources. @throws SettingsError */
  constructor(private readonly load: () => Settings) {
    this.#current = load()
  }

  get current(): Settings {
    return this.#current
  }

  /** Reads the sources anew. Nothing changes before `use`. @throws SettingsError */
  read(): Reading {
    const changed: string[] = []
    const needRestart: string[] = []
    const settings = merged(this.#current, this.load(), path => {
      const reloads = keyByPath.get(path)?.notes.reloads === true
      ;(reloads ? changed : needRestart).push(path)
      return reloads
    })
    return { settings, changed, needRestart }
  }

  /** From now on the server goes by these. */
  use(settings: Settings): void {
    this.#current = settings
  }
}

/** `after` where `takes` says so, which is asked for each key that differs; else `before`. */
const merged = <T extends object>(before: T, after: T, takes: (path: string) => boolean, prefix = ''): T => {
  const result: T = { ...before, ...after }
  for (const name in result) {
    const path = prefix + name
    const [old, next] = [before[name], after[name]]
    if (!keyByPath.has(path) && isSection(old) && isSection(next))
      result[name] = merged(old, next, takes, `${path}.`)
    else result[name] = isDeepStrictEqual(old, next) || !takes(path) ? old : next
  }
  return result
}

// The current settings of a server: those of its start, updated by reloads.
import { isObject } from '../../events/values.js'
import { isDeepStrictEqual } from 'node:util'
import { keyByPath } from './keys.js'
import type { Settings } from './settings.js'

/** The result of a reload. Keys are named without values, some of which are secrets. */
interface Reading {
  /** New values for reloadable keys, and the current ones for all others. */
  readonly settings: Settings
  /** Paths of the reloadable keys that differ. */
  readonly changed: readonly string[]
  /** Paths of the changed keys that need a restart. */
  readonly needRestart: readonly string[]
}

export class LiveSettings {
  /** A new object after each reload, set by `use`. */
  current: Settings

  /** @param load reads all sources. @throws SettingsError */
  constructor(private readonly load: () => Settings) {
    this.current = load()
  }

  /** Reads the sources again. Nothing changes before `use`. @throws SettingsError */
  read(): Reading {
    const changed: string[] = []
    const needRestart: string[] = []
    const settings = merged(this.current, this.load(), path => {
      const reloads = keyByPath.get(path)?.notes.reloads === true
      ;(reloads ? changed : needRestart).push(path)
      return reloads
    })
    return { settings, changed, needRestart }
  }

  use(settings: Settings): void {
    this.current = settings
  }
}

/** Takes values of `after` if `takes` returns true for the path, and of `before` otherwise. */
const merged = <T extends object>(before: T, after: T, takes: (path: string) => boolean, prefix = ''): T => {
  const result: T = { ...before, ...after }
  for (const name in result) {
    const path = prefix + name
    const [old, next] = [before[name], after[name]]
    if (!keyByPath.has(path) && isObject(old) && isObject(next))
      result[name] = merged(old, next, takes, `${path}.`)
    else result[name] = isDeepStrictEqual(old, next) || !takes(path) ? old : next
  }
  return result
}

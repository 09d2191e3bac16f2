// Reloads the configuration while the server runs, completely or not at all.
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from './ports.js'
import { type Settings, LiveSettings } from './settings.js'
import { isDeepStrictEqual } from 'node:util'
import { isObject } from '../../events/values.js'
import { keyByPath } from './keys.js'

/** The result of a reload. Keys are named without values, some of which are secrets. */
interface Reading {
  /** New values for reloadable keys, and the current ones for all others. */
  readonly settings: Settings
  /** Paths of the reloadable keys that differ. */
  readonly changed: readonly string[]
  /** Paths of the changed keys that need a restart. */
  readonly needRestart: readonly string[]
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

/** Reads the sources again. Nothing changes before `LiveSettings.use`. @throws SettingsError */
export const rereadSettings = ({ current, load }: LiveSettings): Reading => {
  const changed: string[] = []
  const needRestart: string[] = []
  const settings = merged(current, load(), path => {
    const reloads = keyByPath.get(path)?.notes.reloads === true
    ;(reloads ? changed : needRestart).push(path)
    return reloads
  })
  return { settings, changed, needRestart }
}

/**
 * Prepares a part of the server for new settings, and returns a function that applies them and must not fail. Parts that read
 * `LiveSettings` on use need no registration.
 * @throws SettingsError if the part rejects the settings
 */
type Prepare = (next: Settings, before: Settings) => (() => void) | Promise<() => void>

@scoped(Lifecycle.ContainerScoped)
export class Reload {
  readonly #parts: Prepare[] = []
  #last: Promise<void> = Promise.resolve()

  constructor(
    private readonly live: LiveSettings,
    @inject(LOGGER) private readonly logger: Logger
  ) {}

  /** Registers a part for every reload, because files that the settings name may have changed. */
  register(prepare: Prepare): void {
    this.#parts.push(prepare)
  }

  /** Runs a reload after any running one. The log names changed keys, and those that need a restart. @throws SettingsError, without any change */
  run(): Promise<void> {
    const run = this.#last.then(() => this.#run())
    this.#last = run.catch(() => {})
    return run
  }

  async #run(): Promise<void> {
    const { settings, changed, needRestart } = rereadSettings(this.live)
    const uses: (() => void)[] = []
    for (const prepare of this.#parts) uses.push(await prepare(settings, this.live.current))
    this.live.use(settings)
    for (const use of uses) use()
    this.logger.info({ changed }, 'the configuration was reread')
    if (needRestart.length > 0)
      this.logger.warn({ keys: needRestart }, 'these keys have changed and need a restart')
  }
}

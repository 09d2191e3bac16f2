// Rereads the configuration while the server runs: all of it takes effect, or nothing does.
import type { Logger } from 'pino'
import { inject, Lifecycle, scoped } from 'tsyringe'
import { LOGGER } from './ports.js'
import type { Settings } from './settings.js'
import { LiveSettings } from './live-settings.js'

/**
 * Makes ready what a part of the server needs to go by new settings, and answers with what puts that to use, which must not
 * fail. What only asks `LiveSettings` when it needs a value does not have to register.
 * @throws SettingsError when the part cannot go by them
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

  /** Has a part prepare at each reload, whether its keys have changed or not: a file that one of them names may have. */
  register(prepare: Prepare): void {
    this.#parts.push(prepare)
  }

  /**
   * Reads the sources of the configuration anew, after any reload that is under way. The log names the keys that changed
   * and those that need a restart.
   * @throws SettingsError when they cannot be used; nothing has changed then
   */
  run(): Promise<void> {
    const run = this.#last.then(() => this.#run())
    this.#last = run.catch(() => {})
    return run
  }

  async #run(): Promise<void> {
    const { settings, changed, needRestart } = this.live.read()
    const uses: (() => void)[] = []
    for (const prepare of this.#parts) uses.push(await prepare(settings, this.live.current))
    this.live.use(settings)
    for (const use of uses) use()
    this.logger.info({ changed }, 'the configuration was reread')
    if (needRestart.length > 0)
      this.logger.warn({ keys: needRestart }, 'these keys have changed and need a restart')
  }
}

// Certificates that are reloaded with the configuration and when their files change.
import { unwatchFile, watchFile } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { Logger } from 'pino'
import type { Reload } from '../../../server/settings/reload.js'
import type { LiveSettings } from '../../../server/settings/live-settings.js'
import type { Settings } from '../../../server/settings/settings.js'
import { filesOf, readMaterial, type Side } from './material.js'

/** Files are polled, since links and network file systems emit no events. */
const POLL_INTERVAL_MS = 1000

export interface MaterialServices {
  readonly live: LiveSettings
  readonly reload: Reload
  readonly logger: Logger
}

export class LiveMaterial {
  readonly #live: LiveSettings
  readonly #logger: Logger
  readonly #changed = (): void => this.#reread()
  #files: readonly string[] = []
  #material: TlsMaterial = {}

  /**
   * Calls `use` with the material now and after each change to other valid material.
   * @throws SettingsError when it is invalid now
   */
  constructor(
    { live, reload, logger }: MaterialServices,
    private readonly side: Side,
    private readonly use: (material: TlsMaterial, settings: Settings) => void
  ) {
    this.#live = live
    this.#logger = logger
    this.#take(readMaterial(live.current, side), live.current)
    reload.register(next => {
      const material = readMaterial(next, side)
      return () => this.#take(material, next)
    })
  }

  close(): void {
    this.#watch([])
  }

  #take(material: TlsMaterial, settings: Settings): void {
    this.#material = material
    this.#watch(filesOf(settings, this.side))
    this.use(material, settings)
  }

  #watch(files: readonly string[]): void {
    for (const file of this.#files) unwatchFile(file, this.#changed)
    this.#files = files
    for (const file of files)
      watchFile(file, { persistent: false, interval: POLL_INTERVAL_MS }, this.#changed)
  }

  #reread(): void {
    const settings = this.#live.current
    try {
      const material = readMaterial(settings, this.side)
      if (isDeepStrictEqual(material, this.#material)) return
      this.#material = material
      this.use(material, settings)
      this.#logger.info({ files: this.#files }, 'certificates were reread')
    } catch (error) {
      this.#logger.warn({ err: error }, 'certificates have changed and cannot be used: the former ones stay')
    }
  }
}

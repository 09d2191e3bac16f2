// Certificates that change while the server runs: when the configuration is reread, and when their files are written.
import { unwatchFile, watchFile } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { Logger } from 'pino'
import type { Reload } from '../../../server/settings/reload.js'
import type { LiveSettings } from '../../../server/settings/live-settings.js'
import type { Settings } from '../../../server/settings/settings.js'
import { filesOf, readMaterial, type Side } from './material.js'

/** Files are looked at, not waited for: what stands behind a link, or on another machine, tells nobody of its changes. */
const LOOK_EVERY_MS = 1000

/** What keeping certificates up to date takes. */
export interface MaterialServices {
  readonly live: LiveSettings
  readonly reload: Reload
  readonly logger: Logger
}

/** Keeps a part of the server supplied with the certificates of one side. */
export class LiveMaterial {
  readonly #live: LiveSettings
  readonly #logger: Logger
  readonly #changed = (): void => this.#reread()
  #files: readonly string[] = []
  #material: TlsMaterial = {}

  /**
   * Has `use` called with what the files hold now, and each time that they hold something else and it can be used.
   * @throws SettingsError when they cannot be used now
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

  /** Looks at the files no more. */
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
    for (const file of files) watchFile(file, { persistent: false, interval: LOOK_EVERY_MS }, this.#changed)
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

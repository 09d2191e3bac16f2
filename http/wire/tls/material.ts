import { X509Certificate } from 'node:crypto'
import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/destinations.js'
import { type Settings, SettingsError, type LiveSettings } from '../../../server/settings/settings.js'
import { messageOf } from '../../../events/errors.js'
import { isDeepStrictEqual } from 'node:util'
import type { Logger } from 'pino'
import type { Reload } from '../../../server/settings/reload.js'

interface MaterialFiles {
  readonly cert_file?: string | undefined
  readonly key_file?: string | undefined
  readonly ca_file?: string | undefined
}

interface Side {
  readonly path: string
  readonly files: (settings: Settings) => MaterialFiles
}

export const HTTP_SIDE: Side = { path: 'tls.http', files: ({ tls }) => tls.http }
export const OUTGOING_SIDE: Side = { path: 'tls.outgoing', files: ({ tls }) => tls.outgoing }
export const CLUSTER_SIDE: Side = { path: 'cluster.tls', files: ({ cluster }) => cluster.tls }

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g

/** Parses all certificates of a PEM text. @throws Error when one is malformed */
export const certificatesIn = (text: string): readonly X509Certificate[] =>
  Array.from(text.matchAll(CERTIFICATE), ([one]) => new X509Certificate(one))

const filesOf = (settings: Settings, side: Side): readonly string[] => {
  const { cert_file: cert, key_file: key, ca_file: ca } = side.files(settings)
  return [cert, key, ca].filter(path => path !== undefined)
}

/**
 * Reads the files of one side.
 * @throws SettingsError that names the key and the reason, also where key and certificate do not match, as while only one of them has
 *   been replaced
 */
export const readMaterial = (settings: Settings, side: Side): TlsMaterial => {
  const files = side.files(settings)
  const read = (name: keyof MaterialFiles): string | undefined => {
    const path = files[name]
    if (path === undefined) return undefined
    try {
      const text = readFileSync(path, 'utf8')
      if (name !== 'key_file' && certificatesIn(text).length === 0) void new X509Certificate(text)
      return text
    } catch (error) {
      throw new SettingsError(
        `${side.path}.${name} must name a PEM file that can be read: ${messageOf(error)}`
      )
    }
  }
  const [cert, key, ca] = [read('cert_file'), read('key_file'), read('ca_file')]
  const material: TlsMaterial = {
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(ca === undefined ? {} : { ca })
  }
  try {
    createSecureContext(material)
  } catch (error) {
    throw new SettingsError(
      `${side.path}.cert_file and ${side.path}.key_file must belong together: ${messageOf(error)}`
    )
  }
  return material
}

/** Files are polled, since links and network file systems emit no events. */
const POLL_INTERVAL_MS = 1000

export interface MaterialServices {
  readonly live: LiveSettings
  readonly reload: Reload
  readonly logger: Logger
}

export class LiveMaterial {
  readonly #changed = (): void => this.#reread()
  #files: readonly string[] = []
  #material: TlsMaterial = {}

  /**
   * Calls `use` with the material now and after each change to other valid material.
   * @throws SettingsError when it is invalid now
   */
  constructor(
    private readonly services: MaterialServices,
    private readonly side: Side,
    private readonly use: (material: TlsMaterial, settings: Settings) => void
  ) {
    const { live, reload } = services
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
    const settings = this.services.live.current
    try {
      const material = readMaterial(settings, this.side)
      if (isDeepStrictEqual(material, this.#material)) return
      this.#material = material
      this.use(material, settings)
      this.services.logger.info({ files: this.#files }, 'certificates were reread')
    } catch (error) {
      this.services.logger.warn(
        { err: error },
        'certificates have changed and cannot be used: the former ones stay'
      )
    }
  }
}

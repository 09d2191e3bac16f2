// Certificates and keys from the files that the settings name.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { Settings } from '../../../server/settings/settings.js'
import { SettingsError } from '../../../server/settings/settings.js'
import { messageOf } from '../../../events/errors.js'

interface MaterialFiles {
  readonly cert_file?: string | undefined
  readonly key_file?: string | undefined
  readonly ca_file?: string | undefined
}

export interface Side {
  /** Path in the settings, such as `tls.http`. */
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

export const filesOf = (settings: Settings, side: Side): readonly string[] => {
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

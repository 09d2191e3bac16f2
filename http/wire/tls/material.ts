// Certificates and keys from the files that the settings name.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { TlsMaterial } from '../../../actors/outgoing/outgoing-tls.js'
import type { Settings } from '../../settings/settings.js'
import { SettingsError } from '../../settings/settings.js'

/** A part of the settings that names files: for what is served, or for what is asked of others. */
export type Side = 'http' | 'outgoing'

const FIRST_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The files that one side names. */
export const filesOf = ({ tls }: Settings, side: Side): readonly string[] => {
  const { cert_file: cert, key_file: key, ca_file: ca } = tls[side]
  return [cert, key, ca].filter(path => path !== undefined)
}

/**
 * What the files of one side hold, read anew.
 * @throws SettingsError that names the key and the reason; also where key and certificate do not belong together, as while
 *   only one of them has been replaced
 */
export const readMaterial = ({ tls }: Settings, side: Side): TlsMaterial => {
  const read = (name: 'cert_file' | 'key_file' | 'ca_file'): string | undefined => {
    const path = tls[side][name]
    if (path === undefined) return undefined
    try {
      const text = readFileSync(path, 'utf8')
      if (name !== 'key_file') void new X509Certificate(FIRST_CERTIFICATE.exec(text)?.[0] ?? text)
      return text
    } catch (error) {
      throw new SettingsError(`tls.${side}.${name} must name a PEM file that can be read: ${reasonOf(error)}`)
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
      `tls.${side}.cert_file and tls.${side}.key_file must belong together: ${reasonOf(error)}`
    )
  }
  return material
}

// The authority of a cluster in etcd, encrypted with `encryption.key`, so that each server can admit machines.
import { hkdfSync } from 'node:crypto'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { EtcdAdministration } from '../../../events/log/etcd/administration.js'
import { decryptText, encryptText } from '../../../http/wire/text-encryption.js'
import type { Settings } from '../../settings/settings.js'
import type { CertifiedKey } from './certificates.js'

const PURPOSE = 'annals cluster authority'
const KEY_BYTES = 32

const stored = Type.Object({ certificate: Type.String(), key: Type.String() })

type Scope = Pick<Settings, 'cluster' | 'encryption'>

const keyUnder = ({ cluster }: Scope): string => `${cluster.etcd.prefix}/authority`

const encryptionKey = ({ encryption: { key = '' } }: Scope): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'base64'), '', PURPOSE, KEY_BYTES))

/** Stores the authority of a new cluster. @returns false if there is one already. @throws EtcdFailure */
export const storeAuthority = (
  settings: Scope,
  etcd: EtcdAdministration,
  authority: CertifiedKey
): Promise<boolean> => {
  const text = encryptText(encryptionKey(settings), JSON.stringify(authority), PURPOSE)
  return etcd.replace(keyUnder(settings), undefined, Buffer.from(text))
}

/** Returns the authority; undefined if etcd has none, or one for another `encryption.key`. @throws EtcdFailure */
export const readAuthority = async (
  settings: Scope,
  etcd: EtcdAdministration
): Promise<CertifiedKey | undefined> => {
  const text = await etcd.read(keyUnder(settings))
  const json = text && decryptText(encryptionKey(settings), text.toString(), PURPOSE)
  return json === undefined ? undefined : Value.Decode(stored, JSON.parse(json))
}

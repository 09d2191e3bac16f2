// The authority of a cluster in etcd, encrypted with `encryption.key`, so that each server can admit machines.
import { hkdfSync } from 'node:crypto'
import * as Type from 'typebox'
import { Value } from 'typebox/value'
import type { EtcdAdministration } from '../../../events/log/etcd/administration.js'
import { decryptText, encryptText } from '../../../http/wire/text-encryption.js'
import type { Settings } from '../../settings/settings.js'

/** Its common name. */
export const AUTHORITY = 'Annals cluster'
const PURPOSE = 'annals cluster authority'
const KEY_BYTES = 32

const stored = Type.Object({ certificate: Type.String(), key: Type.String() })

/** A certificate and its private key, in PEM. */
export type CertifiedKey = Type.Static<typeof stored>

type Scope = Pick<Settings, 'cluster' | 'encryption'>
type Store = Pick<EtcdAdministration, 'read' | 'replace'>

const keyUnder = ({ cluster }: Scope): string => `${cluster.etcd.prefix}/authority`

const encryptionKey = ({ encryption: { key = '' } }: Scope): Uint8Array =>
  new Uint8Array(hkdfSync('sha256', Buffer.from(key, 'base64'), '', PURPOSE, KEY_BYTES))

const encoded = (settings: Scope, authority: CertifiedKey): Buffer =>
  Buffer.from(encryptText(encryptionKey(settings), JSON.stringify(authority), PURPOSE))

/** Stores the authority of a new cluster. @returns false if there is one already. @throws EtcdFailure */
export const storeAuthority = (settings: Scope, etcd: Store, authority: CertifiedKey): Promise<boolean> =>
  etcd.replace(keyUnder(settings), undefined, encoded(settings, authority))

const decoded = (settings: Scope, text: Buffer | undefined): CertifiedKey | undefined => {
  const json = text && decryptText(encryptionKey(settings), text.toString(), PURPOSE)
  return json === undefined ? undefined : Value.Decode(stored, JSON.parse(json))
}

/** Returns the authority; undefined if etcd has none, or one for another `encryption.key`. @throws EtcdFailure */
export const readAuthority = async (settings: Scope, etcd: Store): Promise<CertifiedKey | undefined> =>
  decoded(settings, await etcd.read(keyUnder(settings)))

/**
 * Replaces the authority, unless another machine replaces it at the same time.
 * @param change returns the next one; undefined for no change
 * @returns the authority in etcd; undefined as in `readAuthority`
 * @throws EtcdFailure
 */
export const updateAuthority = async (
  settings: Scope,
  etcd: Store,
  change: (authority: CertifiedKey) => Promise<CertifiedKey | undefined>
): Promise<CertifiedKey | undefined> => {
  const key = keyUnder(settings)
  const before = await etcd.read(key)
  const authority = decoded(settings, before)
  const next = authority && (await change(authority))
  if (!next) return authority
  const isReplaced = await etcd.replace(key, before, encoded(settings, next))
  return isReplaced ? next : decoded(settings, await etcd.read(key))
}

import type { Settings } from './settings.js'

export const urlsOf = ({ url, urls = [] }: Settings['datacenters'][string]): readonly string[] =>
  url === undefined ? urls : [url, ...urls]

/** Returns true if all URLs use TLS. */
export const isSecure = (remote: Settings['datacenters'][string]): boolean =>
  urlsOf(remote).every(url => url.startsWith('https:'))

/** Returns the replication key; undefined if datacenters use certificates only. */
export const sharedKey = ({ replication: { key } }: Pick<Settings, 'replication'>): Buffer | undefined =>
  key === undefined ? undefined : Buffer.from(key, 'base64')

export const remotePrimary = (
  settings: Pick<Settings, 'datacenter' | 'primary_datacenter' | 'datacenters'>
): string | undefined => {
  const { datacenter, primary_datacenter: primary, datacenters } = settings
  return primary !== datacenter && Object.hasOwn(datacenters, primary) ? primary : undefined
}

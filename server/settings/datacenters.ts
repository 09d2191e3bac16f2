// What the settings say of other datacenters.
import type { Settings } from './settings.js'

/** Where another datacenter is reached, in the order of the settings. */
export const urlsOf = ({ url, urls = [] }: Settings['datacenters'][string]): readonly string[] =>
  url === undefined ? urls : [url, ...urls]

/** Whether it is reached only over connections that its certificates protect. */
export const isSecure = (remote: Settings['datacenters'][string]): boolean =>
  urlsOf(remote).every(url => url.startsWith('https:'))

/** The key that datacenters share; undefined where they know each other by certificates. */
export const sharedKey = ({ replication: { key } }: Pick<Settings, 'replication'>): Buffer | undefined =>
  key === undefined ? undefined : Buffer.from(key, 'base64')

/** The primary datacenter, where this is another one that sends it what belongs there; undefined otherwise. */
export const remotePrimary = (
  settings: Pick<Settings, 'datacenter' | 'primary_datacenter' | 'datacenters'>
): string | undefined => {
  const { datacenter, primary_datacenter: primary, datacenters } = settings
  return primary !== datacenter && Object.hasOwn(datacenters, primary) ? primary : undefined
}

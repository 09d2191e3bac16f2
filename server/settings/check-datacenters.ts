// The rules that the settings of several datacenters keep together.
import { urlsOf } from './datacenters.js'
import type { Settings } from './settings.js'

const NAME = /^[A-Za-z0-9]([A-Za-z0-9_-]{0,62}[A-Za-z0-9])?$/

type Remote = Settings['datacenters'][string]

/** What is wrong with one entry, as what it must do; undefined for nothing. */
const faultOf = (remote: Remote): string | undefined => {
  const urls = urlsOf(remote)
  const { ca_file: ca, cert_file: cert, key_file: key, server_name: serverName } = remote
  if (urls.length === 0) return 'give "url" or "urls"'
  if (new Set(urls.map(url => new URL(url).origin)).size < urls.length) return 'name each URL once'
  if ((cert === undefined) !== (key === undefined)) return 'give "cert_file" and "key_file" together'
  const isForTls = [ca, cert, serverName].some(given => given !== undefined)
  if (isForTls && !urls.some(url => url.startsWith('https:')))
    return 'give "ca_file", "cert_file", "key_file" and "server_name" only with a URL that begins with https:'
  return undefined
}

/** Checks what is said of other datacenters. `refuse` throws, with the key and the rule. */
export const checkDatacenters = (
  { datacenter, datacenters, primary_datacenter: primary }: Settings,
  refuse: (path: string, rule: string) => never
): void => {
  const names = [datacenter, ...Object.keys(datacenters)]
  for (const [name, remote] of Object.entries(datacenters)) {
    const shown = JSON.stringify(name.slice(0, 64))
    if (!NAME.test(name))
      refuse(
        'datacenters',
        `have names of 1 to 64 letters, digits, hyphens and underscores, beginning and ending with a letter or digit, unlike ${shown}`
      )
    const other = names.find(one => one !== name && one.toLowerCase() === name.toLowerCase())
    if (other !== undefined)
      refuse(
        'datacenters',
        `not name ${shown} beside "${other}": DNS cannot tell names apart that differ only in letter case`
      )
    if (name === datacenter) refuse('datacenters', `not name ${shown}, which this server belongs to itself`)
    const fault = faultOf(remote)
    if (fault !== undefined) refuse('datacenters', `for ${shown} ${fault}`)
  }
  if (Object.keys(datacenters).length > 0 && primary !== datacenter && !Object.hasOwn(datacenters, primary))
    refuse('datacenters', `say where the primary datacenter "${primary}" is (primary_datacenter)`)
}

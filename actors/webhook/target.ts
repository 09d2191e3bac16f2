import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import type { Destinations } from '../outgoing/destinations.js'

type AddressesOf = (host: string) => Promise<readonly string[]>

const addressesOf: AddressesOf = async host =>
  (await lookup(host, { all: true })).map(({ address }) => address)

/** Returns a URL's fault as a sentence that begins with the field, or undefined. An unresolvable name is accepted: each delivery checks it again. */
export const targetFault = async (
  text: string,
  destinations: Pick<Destinations, 'mayReach'>,
  resolve: AddressesOf = addressesOf
): Promise<string | undefined> => {
  if (!URL.canParse(text)) return 'URL must be an absolute URL, such as https://hooks.example/annals'
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'URL must begin with http:// or https://'
  if (url.username !== '' || url.password !== '')
    return 'URL must hold no user name and no password: deliveries are signed with Secret instead'
  if (url.hash !== '') return 'URL must hold no fragment: it would not be sent'
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const addresses = isIP(host) === 0 ? await resolve(host).catch(() => []) : [host]
  if (addresses.length === 0 || addresses.some(address => destinations.mayReach('webhook', address)))
    return undefined
  return `URL must lead to an address that webhooks may be sent to: outgoing.allow keeps requests from ${host}`
}

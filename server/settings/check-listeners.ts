// The rules that settings of listeners and of TLS keep together.
import { exposuresOf, httpAddressesOf } from './listeners.js'
import type { Settings } from './settings.js'

/** Checks ports, certificates and `tls.required` against each other. `refuse` throws, with the key and the rule. */
export const checkListeners = (settings: Settings, refuse: (path: string, rule: string) => never): void => {
  const { ports, tls } = settings
  const addresses = { ...settings.addresses, http: httpAddressesOf(settings).tcp }
  for (const name of ['http', 'https'] as const)
    if (ports.dns > 0 && ports.dns === ports[name] && addresses.dns === addresses[name])
      refuse('ports.dns', `differ from ports.${name}, since DNS also listens on TCP`)
  if (ports.https > 0 && ports.https === ports.http && addresses.https === addresses.http)
    refuse('ports.https', 'differ from ports.http')
  if (ports.http === -1 && ports.https === -1) refuse('ports.http', 'be a port while ports.https is -1')
  if (ports.https !== -1 && tls.http.cert_file === undefined)
    refuse('tls.http.cert_file', 'be given with ports.https')
  for (const side of ['http', 'outgoing'] as const) {
    const { cert_file: cert, key_file: key } = tls[side]
    if (cert !== undefined && key === undefined)
      refuse(`tls.${side}.key_file`, `be given with tls.${side}.cert_file`)
    if (cert === undefined && key !== undefined)
      refuse(`tls.${side}.cert_file`, `be given with tls.${side}.key_file`)
  }
  if (tls.http.verify_incoming && tls.http.ca_file === undefined)
    refuse('tls.http.ca_file', 'be given with tls.http.verify_incoming')
  const [exposure] = tls.required ? exposuresOf(settings) : []
  if (exposure !== undefined) refuse('tls.required', `not be true while ${exposure}`)
}

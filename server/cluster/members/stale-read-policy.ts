// Which reads take what a server shows although it may not be the newest.
import { parseMilliseconds } from '../../../events/duration.js'
import type { Settings } from '../../settings/settings.js'
import type { RequestContext } from '../../../http/wire/request-context.js'

/** Whether a reader takes what is shown. @param lastContact for how long nothing has proved that it is the newest, in ms */
export const acceptsStale = ({ query }: RequestContext, lastContact: number): boolean => {
  if (query.isEmpty || query.has('consistent')) return false
  const bound = parseMilliseconds(query.get('max_stale') ?? '') ?? 0
  return bound > 0 ? lastContact <= bound : query.has('stale')
}

/** Whether DNS takes what is shown although it may not be the newest. @param lastContact as `takesOld` */
export const dnsAcceptsStale = (
  { dns_config: { allow_stale, max_stale } }: Pick<Settings, 'dns_config'>,
  lastContact: number
): boolean => allow_stale && lastContact <= max_stale

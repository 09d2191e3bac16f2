import { Lifecycle, scoped } from 'tsyringe'
import { CURSOR_TOPIC, isCursorEvent, type Cursor } from '../../events/cursor.js'
import type { Event } from '../../events/envelope.js'
import { Subscriptions } from '../../actors/subscriptions.js'
import { Metrics } from '../../server/telemetry/metrics/metrics.js'
import { Delivery, type DeliveryStatus } from './delivery.js'
import { WebhookDependencies } from './webhook-dependencies.js'
import { Ids } from '../../actors/ids.js'
import { Destinations } from '../../actors/outgoing/destinations.js'
import { invalid } from '../../actors/refusal.js'
import { SECRET_BYTES, secretOf } from '../../actors/webhook/signature.js'
import type { RequestContext } from '../wire/request-context.js'
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'

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

@scoped(Lifecycle.ContainerScoped)
export class WebhookTargets {
  constructor(
    private readonly destinations: Destinations,
    private readonly ids: Ids
  ) {}

  /**
   * Validates the URL of a webhook. Other permissions must be checked afterwards: a DNS lookup takes time, in which a token may be deleted.
   * @throws Refusal `denied`; `invalid` for a malformed URL or a forbidden destination
   */
  async check(request: RequestContext, url: string): Promise<void> {
    request.require('operator', 'write')
    const fault = await targetFault(url, this.destinations)
    request.forgetAuthority()
    request.require('operator', 'write')
    if (fault !== undefined) throw invalid('cursor.invalid', `Invalid Cursor: ${fault}`)
  }

  newSecret(): string {
    return secretOf(Buffer.from(this.ids.hex(SECRET_BYTES), 'hex'))
  }
}

const isSent = ({ URL, Disabled }: Cursor): boolean => URL !== undefined && Disabled === undefined

/** A change costs O(1), a start O(cursors). */
@scoped(Lifecycle.ContainerScoped)
export class Webhooks {
  readonly #deliveries = new Map<string, Delivery>()
  readonly #subscriptions = new Subscriptions()
  #isStopped = true

  constructor(
    private readonly services: WebhookDependencies,
    private readonly metrics: Metrics
  ) {
    this.#measure()
  }

  start(): void {
    this.#isStopped = false
    const { committer } = this.services
    this.#subscriptions.add(committer.on(CURSOR_TOPIC, event => this.#follow(event)))
    this.#subscriptions.onRebuilt(committer, () => this.#followAll())
    this.#followAll()
  }

  stop(): void {
    this.#isStopped = true
    this.#subscriptions.end()
    for (const name of this.#deliveries.keys()) this.#end(name)
  }

  statusOf(name: string): DeliveryStatus | undefined {
    return this.#deliveries.get(name)?.status
  }

  #followAll(): void {
    const { cursors } = this.services.views
    for (const name of this.#deliveries.keys()) if (!cursors.get(name)) this.#end(name)
    for (const cursor of cursors.list()) this.#changed(cursor)
  }

  #follow(event: Event): void {
    if (!isCursorEvent(event)) return
    if (event.Type === 'CursorDeleted') this.#end(event.Key)
    else if (event.Type === 'CursorUpserted') this.#changed(event.Payload.Cursor)
    else this.#deliveries.get(event.Key)?.checkPosition()
  }

  #changed(cursor: Cursor): void {
    const { Name } = cursor
    if (this.#isStopped || !isSent(cursor)) return this.#end(Name)
    const known = this.#deliveries.get(Name)
    if (known) return known.begin()
    const delivery = new Delivery(this.services, Name)
    this.#deliveries.set(Name, delivery)
    delivery.start()
  }

  #end(name: string): void {
    this.#deliveries.get(name)?.stop()
    this.#deliveries.delete(name)
  }

  #measure(): void {
    const { views, positions } = this.services
    this.metrics.gauge('annals_webhooks', 'Cursors with a webhook', () => this.#deliveries.size)
    this.metrics.gauge('annals_webhook_lag', 'Commits by which the slowest webhook lags', () => {
      const newest = views.cursors.newestToTake(views.index)
      const lags = [...this.#deliveries.keys()].map(name => newest - (positions.of(name) ?? newest))
      return Math.max(0, ...lags)
    })
    this.metrics.gauge('annals_webhook_dead_letters', 'Undeliverable batches of all existing cursors', () =>
      views.cursors.list().reduce((sum, { DeadLetters = 0 }) => sum + DeadLetters, 0)
    )
  }
}

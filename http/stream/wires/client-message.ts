// Parsing of client messages of `annals.v1`: each text message is a JSON object with one member.
import type { Static } from 'typebox'
import { invalid, Refusal } from '../../../actors/refusal.js'
import { acknowledge, clientMessage, subscribe } from '../../schemas/event-subscriptions.js'
import { faultOf, validatorOf } from '../../wire/bodies/body.js'
import { parseBounded } from '../../wire/bodies/json-parsing.js'
import { namedValues, type NamedValues } from '../parameter-values.js'
import { messageOf } from '../../../events/errors.js'
import { isObject } from '../../../events/values.js'

export const SUBPROTOCOL = 'annals.v1'

export type Subscribe = Static<typeof subscribe>
export type Acknowledge = Static<typeof acknowledge>
export type ClientMessage = Static<typeof clientMessage>

export class MessageFault extends Refusal {
  constructor(
    reason: string,
    readonly id: string | undefined
  ) {
    super('stream.message-invalid', `Invalid message: ${reason}`)
  }
}

const isClientMessage = (value: unknown): value is ClientMessage => validatorOf(clientMessage).Check(value)

const idIn = (value: unknown): string | undefined => {
  if (!isObject(value)) return undefined
  const { Subscribe: subscribed, Unsubscribe: unsubscribed, Ack: acknowledged } = value
  const about = [subscribed, acknowledged].find(isObject)?.['ID'] ?? unsubscribed
  return validatorOf(subscribe.properties.ID).Check(about) ? String(about) : undefined
}

/** @throws MessageFault */
export const readMessage = (text: string): ClientMessage => {
  let value: unknown
  try {
    value = parseBounded(text)
  } catch (error) {
    throw new MessageFault(messageOf(error), undefined)
  }
  if (!isClientMessage(value)) throw new MessageFault(faultOf(clientMessage, value), idIn(value))
  const members = Object.keys(value).length
  if (members === 1) return value
  const rule = `must have one member, ${Object.keys(clientMessage.properties).join(', ')}, and has ${members}`
  throw new MessageFault(rule, idIn(value))
}

/** Returns the parameter of a field; fields with several values are plural. */
const parameterOf = (field: string): string => field.toLowerCase().replace(/^(topic|type)s$/, '$1')

const textsOf = (value: Subscribe[keyof Subscribe]): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(String)

export const parametersOf = (subscription: Subscribe): NamedValues => {
  const fields = Object.entries(subscription).filter(([field]) => field !== 'ID')
  const values = new Map(fields.map(([field, value]) => [parameterOf(field), textsOf(value)]))
  return namedValues(name => values.get(name) ?? [])
}

const BELONG_IN_MESSAGES = Object.keys(subscribe.properties)
  .filter(field => field !== 'ID')
  .map(parameterOf)

/** Rejects parameters that must be sent in messages. @throws Refusal `invalid` */
export const checkQuery = (query: NamedValues): void => {
  const found = BELONG_IN_MESSAGES.find(name => query.has(name))
  if (found !== undefined)
    throw invalid(
      'stream.invalid',
      `Invalid ${found}: with ${SUBPROTOCOL} it belongs into the message Subscribe, not the query`
    )
}

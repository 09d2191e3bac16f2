// An event as the log keeps it: its text is there as it is, and its payload is parsed only when somebody looks into it.
import type { Event } from '../envelope.js'
import type { StoredHead } from './record.js'

export class StoredEvent implements Event {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  readonly Partition: string
  readonly FilterKeys: readonly string[] | null
  /** JSON of all but the payload. */
  readonly headText: Buffer
  /** JSON of the payload. */
  readonly payloadText: Buffer
  #payload: object | undefined

  constructor(head: StoredHead, headText: Buffer, payloadText: Buffer) {
    this.Topic = head.Topic
    this.Type = head.Type
    this.Key = head.Key
    this.Namespace = head.Namespace
    this.Partition = head.Partition ?? 'default'
    this.FilterKeys = head.FilterKeys
    this.headText = headText
    this.payloadText = payloadText
  }

  get Payload(): object {
    const payload: object = (this.#payload ??= JSON.parse(this.payloadText.toString()))
    return payload
  }
}

// What is known of a server in a cluster without a look at any request: how well it hears of the others, and which of them sends.
import type { IncomingMessage } from 'node:http'

/** What another server of the cluster tells of a request that it sends. */
export interface Forwarded {
  /** ID of the node of the server that was asked. */
  readonly id: string
  /** Name of its node: agent endpoints are about that one. */
  readonly node: string
  /** Address of the client; '' where the server asks for itself. */
  readonly address: string
}

/**
 * The other server that has sent a request; undefined where a client has, also through another process of this server.
 * @param own ID of the node of this server
 */
export const otherServer = (sender: Forwarded | undefined, own: string): Forwarded | undefined =>
  sender?.id === own ? undefined : sender

/** What answers of reads tell of the leader. */
export interface Contact {
  readonly isLeaderKnown: boolean
  /** For how long, in whole ms, nothing has proved that what is shown is the newest. */
  readonly lastContact: number
}

/** Of a server that decides by itself. */
export const OWN_CONTACT: Contact = { isLeaderKnown: true, lastContact: 0 }

/** As headers of an answer: names and values in turn. */
export const contactHeaders = ({ isLeaderKnown, lastContact }: Contact): readonly string[] => [
  'X-Service-KnownLeader',
  String(isLeaderKnown),
  'X-Service-LastContact',
  String(lastContact)
]

export interface Contacts {
  /** What another server tells of a request that was checked; undefined for requests of clients. */
  senderOf(request: IncomingMessage): Forwarded | undefined

  contact(): Contact
}

/** The token of `WHO_ANSWERS`, for those who ask for this alone. */
export const CONTACTS = Symbol('WhoAnswers')

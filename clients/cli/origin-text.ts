import type { Commit, Event } from '../../events/envelope.js'

/** In responses, fields are missing that the caller may not read, and `TokenName` is added. */
type Origin = Partial<Commit['By']> & { readonly TokenName?: string }

export interface EventSummary {
  readonly Topic: string
  readonly Type: string
  readonly Key: string
  readonly Namespace: string
  readonly Partition?: string
}

/** Returns partition/namespace/key without defaults. */
export const originTenancyText = ({
  Partition = 'default',
  Namespace,
  Key
}: Pick<Event, 'Namespace' | 'Key'> & { readonly Partition?: string }): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Anonymous commands, such as the bootstrap, have no accessor. */
const asker = ({ AccessorID = '', TokenName, Address = '', Erased }: Origin): string => {
  if (Erased) return 'by someone whose traces were erased'
  if (AccessorID !== '') return `by token ${AccessorID}${TokenName ? ` (${TokenName})` : ''}`
  return Address === '' ? 'by the server' : 'without a token'
}

const whyOf = ({ Reason, Cause }: Origin): string => {
  const reason = Reason === undefined ? '' : `, reason ${JSON.stringify(Reason)}`
  return Cause === undefined ? reason : `${reason}, after ${[Cause].flat().join(' and ')}`
}

export const originText = (by: Origin): string => {
  const where = by.Address ? ` from ${by.Address}` : ''
  const request = by.RequestID ? `, request ${by.RequestID}` : ''
  return `${by.Command ?? ''} ${asker(by)}${where}${request}${whyOf(by)}`.trimStart()
}

// Who made a commit and why, and what events are about, as text for people.
import type { Commit, Event } from '../../events/envelope.js'

/** As the log has it; in answers, what the caller may not know is missing, and the token has its description. */
type Origin = Partial<Commit['By']> & { readonly TokenName?: string }

/** Partition/namespace/key, without what goes without saying. */
export const originTenancyText = ({
  Partition = 'default',
  Namespace,
  Key
}: Pick<Event, 'Namespace' | 'Key'> & { readonly Partition?: string }): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Who sent the command. There is no accessor where anyone may ask, as in the bootstrap. */
const asker = ({ AccessorID = '', TokenName, Address = '', Erased }: Origin): string => {
  if (Erased) return 'by someone whose traces were erased'
  if (AccessorID !== '') return `by token ${AccessorID}${TokenName ? ` (${TokenName})` : ''}`
  return Address === '' ? 'by the server' : 'without a token'
}

/** The reason that was given, and the commits that led to this one. */
const whyOf = ({ Reason, Cause }: Origin): string => {
  const reason = Reason === undefined ? '' : `, reason ${JSON.stringify(Reason)}`
  return Cause === undefined ? reason : `${reason}, after ${[Cause].flat().join(' and ')}`
}

/** Command, caller and why. */
export const originText = (by: Origin): string => {
  const where = by.Address ? ` from ${by.Address}` : ''
  const request = by.RequestID ? `, request ${by.RequestID}` : ''
  return `${by.Command ?? ''} ${asker(by)}${where}${request}${whyOf(by)}`.trimStart()
}

import type { AuditEvent } from '../audit-lines.js'
import type { Schemas } from '../typescript/typed/index.js'

/** Lacks fields that the caller may not read. */
type Origin = Omit<Schemas['VersionOrigin'], 'Cause'> & {
  readonly Cause?: number | readonly number[] | undefined
}

/** Returns partition/namespace/key without defaults. */
export const originTenancyText = ({
  Partition = 'default',
  Namespace,
  Key
}: Pick<Schemas['StreamedEvent'], 'Namespace' | 'Key' | 'Partition'>): string =>
  `${Partition === 'default' ? '' : `${Partition}/`}${Namespace === '' ? '' : `${Namespace}/`}${Key}`

/** Returns the line of an event below that of its commit. */
export const eventLine = (event: Omit<AuditEvent, 'Payload'>): string =>
  `    ${event.Topic} ${event.Type}  ${originTenancyText(event)}${event.Erased ? '  (erased)' : ''}`

/** Anonymous commands, such as the bootstrap, have no accessor. */
const asker = ({ AccessorID = '', TokenName, Address = '', Erased }: Origin): string => {
  if (Erased) return 'by someone whose traces were erased'
  if (AccessorID !== '') return `by token ${AccessorID}${TokenName ? ` (${TokenName})` : ''}`
  return Address === '' ? 'by the server' : 'without a token'
}

const whyOf = ({ Reason, ChangeSet, Owner, Cause }: Origin): string => {
  const changeSet = ChangeSet === undefined ? '' : `, change set ${ChangeSet}`
  const owner = Owner === undefined ? '' : ` of ${Owner}`
  const reason = `${changeSet}${owner}${Reason === undefined ? '' : `, reason ${JSON.stringify(Reason)}`}`
  return Cause === undefined ? reason : `${reason}, after ${[Cause].flat().join(' and ')}`
}

export const originText = (by: Origin): string => {
  const where = by.Address ? ` from ${by.Address}` : ''
  const request = by.RequestID ? `, request ${by.RequestID}` : ''
  return `${by.Command ?? ''} ${asker(by)}${where}${request}${whyOf(by)}`.trimStart()
}

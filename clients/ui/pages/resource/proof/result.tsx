import type { Query } from '../../../../typescript/connection.js'
import { Notice, Refusal } from '../../../design/index.js'
import { messageOf } from '../../../../../events/errors.js'
import { client } from '../../../session/session.js'
import type { Version } from '../../../resources/kind.js'
import { countText } from '../../server/formatters.js'
import { idOf, isDisproof } from './evidence.js'
import { prove, type Growth, type Proved, type ViewComparison } from './prove.js'
import { useResult } from '../../../session/use-response.js'

const sameText = ({ isOpen, added, hasWho }: ViewComparison): string => {
  if (!isOpen)
    return `${hasWho ? 'The time and the author are' : 'The time is'} in the commit. The content of this version is withheld or erased; only its hash is in the commit.`
  const rest = added.length === 0 ? '' : ` The server adds these fields for display: ${added.join(', ')}.`
  return `${hasWho ? 'The time, the author' : 'The time'} and the content of this version are in the commit as shown here.${rest}`
}

const growthText = (growth: Growth): string => {
  if (growth === 'first seen')
    return 'This tab stores the checkpoint. The next proof also proves that the log has only grown since.'
  if ('before' in growth)
    return `The log had the name ${growth.before} in an earlier proof: it was truncated or restored since.`
  return `The log has only grown since the proof at ${new Date(growth.seen).toLocaleTimeString()}, when it had ${countText(growth.size)} commits.`
}

const partsText = ({ withheld, erased }: Proved): string | undefined => {
  if (withheld + erased === 0) return undefined
  return `Only the hashes of other parts of the commit are disclosed: ${countText(withheld)} withheld, ${countText(erased)} erased.`
}

const ProofDetails = ({ index, proved }: { readonly index: number; readonly proved: Proved }) => {
  const { head, key, vkey } = proved.checkpoint
  const hasOtherName = typeof proved.growth === 'object' && 'before' in proved.growth
  return (
    <Notice tone={hasOtherName ? 'warn' : 'good'}>
      <p>
        <strong>
          Commit {countText(index)} is in the log of {countText(head.size)} commits whose checkpoint is signed
          by {key.name}, key {idOf(key)}.
        </strong>
      </p>
      <ul>
        {[sameText(proved.same), partsText(proved), growthText(proved.growth)].map(
          text => text !== undefined && <li key={text}>{text}</li>
        )}
        <li>
          No server can prove that the key is genuine. Compare it with a copy from another source:{' '}
          <code>{vkey}</code>
        </li>
      </ul>
    </Notice>
  )
}

export const ProofResult = ({ version, named }: { readonly version: Version; readonly named: Query }) => {
  const { value: proved, failure } = useResult(
    signal => prove(version, named, signal),
    [client.value, version.Index],
    error => (isDisproof(error) ? `Not proved: ${messageOf(error)}.` : messageOf(error))
  )
  return (
    <section aria-label={`Proof of commit ${version.Index}`} class="proof">
      {!proved && failure === undefined && <p role="status">Proving …</p>}
      <Refusal text={failure} />
      {proved && <ProofDetails index={version.Index} proved={proved} />}
    </section>
  )
}

import { useState } from 'preact/hooks'
import type { Query } from '../../../../typescript/connection.js'
import { Notice, Refusal } from '../../../design/index.js'
import { messageOf } from '../../../../../events/errors.js'
import { client } from '../../../session/session.js'
import type { Version } from '../../../resources/versions.js'
import { useTask } from '../../../session/use-task.js'
import { idOf, isDisproof } from './evidence.js'
import { prove, type Growth, type Proved } from './prove.js'
import type { ViewComparison } from './compare-with-view.js'

const number = (count: number): string => count.toLocaleString('en')

const sameText = ({ isOpen, added, hasWho }: ViewComparison): string => {
  const what = hasWho ? 'When it was made, who made it' : 'When it was made'
  if (!isOpen)
    return `${what} and that it is the commit is proved; what it made of this resource is withheld or erased, and only its hash is proved.`
  const rest =
    added.length === 0 ? '' : ` Not in the record, and added where it is shown: ${added.join(', ')}.`
  return `${what} and what it made of this resource are in the commit as this page shows them.${rest}`
}

const growthText = (growth: Growth): string => {
  if (growth === 'first seen')
    return 'The checkpoint is remembered in this tab: the next proof also proves that the log has only grown since.'
  if ('before' in growth)
    return `The log was called ${growth.before} when this tab saw it before: its end was cut off, or it was restored.`
  return `The log has only grown since this tab saw it with ${number(growth.size)} commits, at ${new Date(growth.seen).toLocaleTimeString()}.`
}

const partsText = ({ withheld, erased }: Proved): string | undefined => {
  if (withheld + erased === 0) return undefined
  return `Of ${number(withheld + erased)} further parts of the commit only the hashes are disclosed: ${number(withheld)} withheld, ${number(erased)} erased.`
}

const ProofDetails = ({ index, proved }: { readonly index: number; readonly proved: Proved }) => {
  const { head, key, vkey } = proved.checkpoint
  const hasOtherName = typeof proved.growth === 'object' && 'before' in proved.growth
  return (
    <Notice tone={hasOtherName ? 'warn' : 'good'}>
      <p>
        <strong>
          Commit {number(index)} is in the log of {number(head.size)} commits whose checkpoint is signed by{' '}
          {key.name}, key {idOf(key)}.
        </strong>
      </p>
      <ul>
        {[sameText(proved.same), partsText(proved), growthText(proved.growth)].map(
          text => text !== undefined && <li key={text}>{text}</li>
        )}
        <li>
          Whose key it is, no server can prove: compare it with one that you have from elsewhere,{' '}
          <code>{vkey}</code>
        </li>
      </ul>
    </Notice>
  )
}

export const ProofResult = ({ version, named }: { readonly version: Version; readonly named: Query }) => {
  const [proved, setProved] = useState<Proved>()
  const [failure, setFailure] = useState<string>()
  const currentClient = client.value
  const verify = async (signal: AbortSignal): Promise<void> => {
    setProved(undefined)
    setFailure(undefined)
    setProved(await prove(currentClient.connection, version, named, signal))
  }
  const fail = (error: unknown): void =>
    setFailure(isDisproof(error) ? `Not proved: ${messageOf(error)}.` : messageOf(error))
  useTask(verify, fail, [currentClient, version.Index])
  return (
    <section aria-label={`Proof of commit ${version.Index}`} class="proof">
      {!proved && failure === undefined && <p role="status">Proving …</p>}
      <Refusal text={failure} />
      {proved && <ProofDetails index={version.Index} proved={proved} />}
    </section>
  )
}

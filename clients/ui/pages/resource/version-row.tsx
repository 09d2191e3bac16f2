import { lazy, useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Button, InChangeSet, RelativeTime, TextDiff, Who } from '../../design/index.js'
import { isDeletion, type Version, readableVersion } from '../../resources/versions.js'
import { fieldsOf } from '../../resources/kind.js'
import { addressAsOf } from '../../time-travel/as-of-state.js'
import { Restore } from './restore.js'

const Proof = lazy(async () => (await import('./proof/result.js')).ProofResult)

interface AuthorProps {
  readonly version: Version
  readonly isPlain?: boolean
}

/** Names the author of a version and the reason. */
export const Author = ({ version: { By }, isPlain = false }: AuthorProps) => {
  if (!By) return null
  if (By.Erased) return <>by an erased author</>
  return (
    <>
      by <Who accessor={By.AccessorID} name={By.TokenName} isPlain={isPlain} />{' '}
      {!isPlain && By.Address && `from ${By.Address} `}
      <InChangeSet {...By} />
      {By.Reason && <q>{By.Reason}</q>}
    </>
  )
}

/** Proves in the browser that the log contains the version. */
export const Verify = ({ version, named }: { readonly version: Version; readonly named: Query }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button label="Verify" act={() => setIsOpen(true)} class="plain" disabled={isOpen} />
      {isOpen && <Proof version={version} named={named} />}
    </>
  )
}

interface Props {
  readonly version: Version
  /** The previous version, if it is loaded. */
  readonly before: Version | undefined
  /** The newest version. */
  readonly current: Version | undefined
  readonly named: Query
}

/** Returns the note in place of missing content. */
const missingOf = ({ Erased, Withheld, Base }: Version): string | undefined => {
  if (Erased) return 'The content of this version was erased.'
  if (Withheld) return 'This version is withheld: the token has no permission to read it.'
  return Base ? 'The state when earlier commits were pruned. Its origin is unknown.' : undefined
}

const Content = ({ version, before, current, named }: Props) => {
  const { url } = useLocation()
  const { Index, Withheld, Base, Payload } = version
  const missing = missingOf(version)
  return (
    <>
      {missing !== undefined && <p role="note">{missing}</p>}
      <p class="quiet">
        Commit {Index} <Author version={version} />
      </p>
      {Payload && <TextDiff before={readableVersion(before)} after={readableVersion(version)} />}
      <p class="choices">
        <a href={addressAsOf(url.replace(/&tab=\w+/, ''), Index)}>Time travel to this commit</a>
      </p>
      {!Withheld && !Base && <Verify version={version} named={named} />}
      {current && version !== current && !Withheld && (
        <Restore named={named} to={version} current={current} label={`Restore version ${Index}`} />
      )}
    </>
  )
}

const actionOf = (version: Version): string => {
  if (isDeletion(version)) return 'deleted'
  return fieldsOf(version.Payload ?? {})['CreateIndex'] === version.Index ? 'created' : 'changed'
}

export const VersionRow = (props: Props) => {
  const { version } = props
  const { Index, Time, Type, Base } = version
  const [isOpen, setIsOpen] = useState(false)
  const missing = missingOf(version)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span class="index">{Index}</span> {!Base && <b title={Type}>{actionOf(version)}</b>}{' '}
        <Author version={version} isPlain /> {Time && <RelativeTime at={Time} />}{' '}
        {missing !== undefined && <em>{missing}</em>}
      </summary>
      {isOpen && <Content {...props} />}
    </details>
  )
}

import { lazy, useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'
import type { Query } from '../../../typescript/connection.js'
import { Changes } from '../../components/changes.js'
import { addressAsOf } from '../../time-travel/as-of-state.js'
import type { Version } from '../../resources/versions.js'
import { Revert } from './revert.js'

const Proof = lazy(async () => (await import('./proof/result.js')).ProofResult)

interface Props {
  readonly version: Version
  readonly named: Query
  readonly isNewest: boolean
}

const Who = ({ by }: { readonly by: NonNullable<Version['By']> }) =>
  by.Erased ? (
    <>by an erased author</>
  ) : (
    <>
      by {by.TokenName || by.AccessorID || 'the server'} {by.Address && `from ${by.Address}`}{' '}
      {by.Reason && <q>{by.Reason}</q>}
    </>
  )

/** Returns the note in place of missing content. */
const missingOf = ({ Erased, Withheld, Base }: Version): string | undefined => {
  if (Erased) return 'The content of this version was erased.'
  if (Withheld) return 'This version is withheld: the token has no permission to read it.'
  return Base ? 'The state when earlier commits were pruned. Its origin is unknown.' : undefined
}

const Content = ({ version, named, isNewest }: Props) => {
  const { url } = useLocation()
  const { Index, Patch = [], Withheld, Base } = version
  const [isProving, setIsProving] = useState(false)
  const missing = missingOf(version)
  return (
    <>
      {missing !== undefined && <p role="note">{missing}</p>}
      {Patch.length > 0 && <Changes patch={Patch} />}
      <p class="choices">
        <a href={addressAsOf(url, Index)}>Time travel to this commit</a>
        {!Withheld && !Base && (
          <button type="button" onClick={() => setIsProving(true)} disabled={isProving}>
            Verify
          </button>
        )}
      </p>
      {isProving && <Proof version={version} named={named} />}
      {!isNewest && !Withheld && <Revert named={named} to={Index} label={`Restore version ${Index}`} />}
    </>
  )
}

export const VersionRow = (props: Props) => {
  const { Index, Time, Type, By } = props.version
  const [isOpen, setIsOpen] = useState(false)
  const missing = missingOf(props.version)
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span class="index">{Index}</span>{' '}
        {Time && <time dateTime={Time}>{new Date(Time).toLocaleString()}</time>} <b>{Type}</b>{' '}
        {By && <Who by={By} />} {missing !== undefined && <em>{missing}</em>}
      </summary>
      {isOpen && <Content {...props} />}
    </details>
  )
}

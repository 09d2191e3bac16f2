// What a write of an entry would do: its faults, and the discovery chains before and after.
import { Notice } from '../../parts/notice.js'
import type { Chain } from './chain.js'
import { ChainPicture } from './chain-picture.js'

/** The answer to a write that is tried. */
export interface Tried {
  /** stored, unchanged, stale or refused */
  readonly Outcome: string
  readonly Errors: readonly string[]
  readonly Chains: readonly {
    readonly Service: string
    readonly Before?: Chain | null
    readonly After?: Chain | null
    /** Why it does not compile afterwards. */
    readonly Error?: string
  }[]
  /** How many chains may differ and were not looked at. */
  readonly Unchecked: number
}

const Side = ({ chain, title, why }: { chain: Chain | null | undefined; title: string; why?: string }) => (
  <div>
    <h3>{title}</h3>
    {chain ? <ChainPicture chain={chain} title={title} /> : <p>{why ?? 'There is none.'}</p>}
  </div>
)

export const Trial = ({ tried: { Outcome, Errors, Chains, Unchecked } }: { readonly tried: Tried }) => (
  <div role="group" aria-label="Trial">
    <h2>What it would do</h2>
    <Notice tone={Errors.length > 0 ? 'bad' : 'plain'}>
      It would be {Outcome}; {Chains.length === 1 ? '1 discovery chain' : `${Chains.length} discovery chains`}{' '}
      would change.
      {Unchecked > 0 && ` ${Unchecked} more may change and were not looked at.`}
      {Errors.map(fault => (
        <p key={fault}>{fault}</p>
      ))}
    </Notice>
    {Chains.map(({ Service, Before, After, Error: why }) => (
      <div key={Service} class="before-after">
        <Side chain={Before} title={`${Service} before`} />
        <Side chain={After} title={`${Service} after`} {...(why === undefined ? {} : { why })} />
      </div>
    ))}
  </div>
)

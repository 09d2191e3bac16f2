// Names of facts with the facts: <Facts facts={[['Version', version], …]} />. What is undefined is left out.
import type { ComponentChildren } from 'preact'

export const Facts = ({ facts }: { readonly facts: readonly (readonly [string, ComponentChildren])[] }) => (
  <dl class="facts">
    {facts.map(([name, fact]) =>
      fact === undefined || fact === '' ? null : (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{fact}</dd>
        </div>
      )
    )}
  </dl>
)

// The secret of a token that was made just now: shown once.
import { CopyButton } from '../../../components/copy-button.js'
import { Notice } from '../../../components/notice.js'
import type { CreatedToken } from './acl-resources.js'

export const NewSecret = ({ token: { AccessorID, SecretID } }: { readonly token: CreatedToken }) => (
  <section aria-label="Made">
    <Notice tone="good">The token is made. This page shows its secret only now.</Notice>
    <p class="choices">
      <label class="secret">
        <span>Secret</span>
        <input readOnly value={SecretID} onFocus={({ currentTarget }) => currentTarget.select()} />
      </label>
      <CopyButton text={SecretID} />
    </p>
    <p>
      <a href={`/ui/tokens/one?${new URLSearchParams({ key: AccessorID })}`}>Go to the token</a>
    </p>
  </section>
)

// Says why something is not shown or was not done; nothing where there is no reason: <Refusal text={failure} />
export const Refusal = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <p role="alert" class="refused">
      {text}
    </p>
  )

/** Styles of packages come as texts. */
declare module "*.css" {
  const style: string;
  export default style;
}

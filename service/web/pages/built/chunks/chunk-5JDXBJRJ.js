var r=new URL("../..",import.meta.url).pathname.replace(/\/$/,"");function e(t){return r+t}export{r as a,e as b};

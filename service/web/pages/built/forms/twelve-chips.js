var a=["play","take"];export{a as oneTap};
